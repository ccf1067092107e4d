#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Puts the lists that macec prints into README.md, between the lines
#
#   <!-- macec list targets -->
#   <!-- end of list -->
#
# Of the operators only the names of those that ONNX files may have: the whole list is long.
#
#   bash tests/readme_tables.sh            rewrites README.md
#   bash tests/readme_tables.sh --check    changes nothing; 1 and the difference if it is out of date
#
# MACEC: the program; default build/release/macec.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
macec=${MACEC:-$root/build/release/macec}
readme=$root/README.md
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT

print_list() {
  if [ "$1" = ops ]; then
    "$macec" list ops | awk 'NR > 1 && $2 ~ /^[0-9]/ { print $1 }' | fmt -w 98
  else
    "$macec" list "$1"
  fi
}

inside=no
while IFS= read -r line; do
  case $line in
    '<!-- macec list '*' -->')
      what=${line#<!-- macec list } && what=${what% -->}
      printf '%s\n```\n' "$line"
      print_list "$what"
      echo '```'
      inside=yes
      ;;
    '<!-- end of list -->') inside=no && printf '%s\n' "$line" ;;
    *) [ "$inside" = yes ] || printf '%s\n' "$line" ;;
  esac
done <"$readme" >"$fresh"

if [ "${1:-}" = --check ]; then
  diff -u "$readme" "$fresh" || {
    echo "README.md is out of date: bash tests/readme_tables.sh" >&2
    exit 1
  }
else
  cp "$fresh" "$readme"
fi
