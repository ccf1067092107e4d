# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The Debian and Ubuntu packages that macec needs, and how they are installed. Sourced, not run:
#
#   . tests/packages.sh
#   install_build_packages     to build macec and its unit tests          about 230 MB to download
#   install_example_packages   real pictures for examples/fashion         about  30 MB
#   install_arm_packages       cross compiler for ARMv8 and an emulator   about  70 MB
#   install_test_packages      everything else that tests/run.sh can use  about 300 MB
#
# Each function is silent and quick when nothing is missing, needs root or sudo otherwise, and
# returns 1 with a message that says what to do. MACEC_SKIP_INSTALL=1 turns all of them off (other
# systems, no network): then the packages below, or their like, have to be there already.
# The names are the same on Debian 12 and Ubuntu 24.04. The trap: on Ubuntu nearly all of them are
# in 'universe', and llvm-19 in noble-updates; a minimal installation may have neither switched on.

MACEC_BUILD_PACKAGES="g++ cmake ninja-build protobuf-compiler libprotobuf-dev libonnx-dev libfmt-dev
  catch2 opencl-headers ocl-icd-opencl-dev llvm-19-dev libzstd-dev zlib1g-dev"
MACEC_EXAMPLE_PACKAGES="dataset-fashion-mnist"
MACEC_ARM_PACKAGES="g++-aarch64-linux-gnu qemu-user"
MACEC_TEST_PACKAGES="g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-user clang clang-19 lld-19
  pocl-opencl-icd python3 python3-venv ca-certificates git dataset-fashion-mnist"

# Prints those of the given packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
      "install ok installed") ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# Prints those of the given packages that this system's package sources do not offer.
unknown_packages() {
  local package
  for package in "$@"; do
    LC_ALL=C apt-cache policy "$package" | grep -q 'Candidate: [0-9]' || printf '%s ' "$package"
  done
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt-get that never asks, and waits for another apt-get to end.
quiet_apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y -o Dpkg::Use-Pty=0 \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@"
}

# Says why packages cannot be installed here; returns 0 if they can.
check_can_install() {
  if ! command -v apt-get >/dev/null; then
    echo "error: packages are installed with apt-get, and there is none here" >&2
    echo "    hint: install the equivalents of: $*" >&2
    echo "    hint: then run this again with MACEC_SKIP_INSTALL=1" >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "error: installing packages needs root, and there is no sudo here" >&2
    echo "    hint: as root: apt-get update && apt-get install -y --no-install-recommends $*" >&2
    return 1
  fi
}

# Installs those of the given packages that are missing. First argument: what they are for.
install_packages() {
  local purpose=$1 missing unknown log
  shift
  [ "${MACEC_SKIP_INSTALL:-0}" != 1 ] || return 0
  missing=$(command -v dpkg-query >/dev/null && missing_packages "$@" || echo "$*")
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086  # a list of words
  check_can_install $missing || return 1

  echo "Installing $purpose: $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! quiet_apt_get update >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "error: 'apt-get update' failed; is there a network, and are the package sources right?" >&2
    return 1
  fi
  # shellcheck disable=SC2086
  unknown=$(unknown_packages $missing)
  if [ -n "$unknown" ]; then
    echo "error: this system's package sources do not offer: $unknown" >&2
    echo "    hint: Debian 12 and Ubuntu 24.04 have them" >&2
    echo "    hint: Ubuntu: switch on 'universe' and 'noble-updates' in /etc/apt/sources.list(.d)" >&2
    return 1
  fi
  # shellcheck disable=SC2086
  if ! quiet_apt_get --no-install-recommends install $missing >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "error: apt-get could not install them; the whole log is $log" >&2
    return 1
  fi
  grep -E '^(Need to get|After this)' "$log" | sed 's/^/  /' || true
  rm -f "$log"
}

# shellcheck disable=SC2086
install_build_packages() { install_packages "what macec is built with" $MACEC_BUILD_PACKAGES; }
# shellcheck disable=SC2086
install_example_packages() {
  install_packages "the pictures of the example" $MACEC_EXAMPLE_PACKAGES
}
# shellcheck disable=SC2086
install_arm_packages() {
  install_packages "the ARMv8 cross compiler and emulator" $MACEC_ARM_PACKAGES
}
# shellcheck disable=SC2086
install_test_packages() { install_packages "what the tests use" $MACEC_TEST_PACKAGES; }
