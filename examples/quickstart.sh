#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a bare Debian 12 or Ubuntu 24.04 to a trained model running as generated code.
#
#   bash examples/quickstart.sh          on this machine
#   bash examples/quickstart.sh --arm    and again as ARMv8, in an emulator
#
# Needs a network for apt-get, and root or sudo, unless all packages are there already
# (MACEC_SKIP_INSTALL=1 does not even look). Run it as often as you like: what is done is not
# done again. Writes to build/ only.
set -eu

case "${1:-}" in
  '' | --arm) [ $# -le 1 ] || { echo "error: at most one argument, --arm" >&2 && exit 2; } ;;
  -h | --help) sed -n '4,11s/^# \{0,1\}//p' "$0" && exit 0 ;;
  *) echo "error: unknown argument '$1'; there is only --arm" >&2 && exit 2 ;;
esac
arm=${1:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
# shellcheck source=tests/packages.sh
. tests/packages.sh

step() { printf '\n=== %s\n\n' "$*"; }

build_macec() {
  mkdir -p build/release
  cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release -DMACEC_TESTS=OFF \
    >build/release/configure.log 2>&1 || {
    tail -n 30 build/release/configure.log >&2
    echo "error: cmake failed; the whole log is $root/build/release/configure.log" >&2
    return 1
  }
  if [ -t 1 ]; then
    ninja -C build/release macec
  else
    ninja -C build/release macec >build/release/build.log 2>&1 || {
      grep -A 20 -m 1 FAILED build/release/build.log >&2
      echo "error: ninja failed; the whole log is $root/build/release/build.log" >&2
      return 1
    }
  fi
}

echo "This downloads and installs with apt-get what is missing of: a C++ compiler, CMake, Ninja,"
echo "protobuf, ONNX, LLVM's libraries and 10,000 pictures of clothes. On a bare system that is"
if [ "$arm" = --arm ]; then
  echo "about 330 MB to download and 1.5 GB on disk, an ARMv8 cross compiler and emulator included."
else
  echo "about 260 MB to download and 1.2 GB on disk."
fi
echo "Then it builds macec, and with macec a trained classifier, here: $root/build"

step "1. Packages"
packages="$MACEC_BUILD_PACKAGES $MACEC_EXAMPLE_PACKAGES"
[ "$arm" = '' ] || packages="$packages $MACEC_ARM_PACKAGES"
# shellcheck disable=SC2086  # a list of words
install_packages "what this example needs" $packages
echo "All there."

step "2. macec"
start=$SECONDS
build_macec
echo "$root/build/release/macec, built in $((SECONDS - start)) seconds"

step "3. A model: a MobileNet in small that knows ten kinds of clothes, trained with PyTorch"
bash examples/fashion/run.sh build/release/macec build/quickstart

if [ "$arm" = --arm ]; then
  step "4. The same as ARMv8 (the time is the emulator's)"
  bash examples/fashion/run.sh build/release/macec build/quickstart-armv8 --arm
fi

step "Your own model"
echo "  $root/build/release/macec your_model.onnx"
echo
echo "writes your_model.cpp and your_model.h into the current folder, or says what is missing."
echo "Check it: macec verify your_model.onnx. How an app uses the pair: README.md."
