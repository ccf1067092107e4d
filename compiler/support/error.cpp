// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/error.h"

namespace macec {

void check_failed(const char* file, int line, const char* condition, const std::string& text) {
  throw InternalError(fmt::format("{} ({}:{}: {})", text, file, line, condition));
}

}  // namespace macec
