// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function. `--has-device` only says, by its exit code, whether there is an OpenCL device.
#define CATCH_CONFIG_RUNNER
#include <cstring>

#include "tests/catch.h"
#include "tests/opencl/kernels/device.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--has-device") == 0)
    return macec::OpenclDevice::exists() ? 0 : 1;
  return Catch::Session().run(argc, argv);
}
