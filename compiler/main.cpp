// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program: everything is in compiler/driver/run_macec.cpp, so that tests can call it, too.
#include "compiler/driver/commands.h"

int main(int argc, char** argv) {
  return macec::run_macec(std::vector<std::string>(argv + 1, argv + argc));
}
