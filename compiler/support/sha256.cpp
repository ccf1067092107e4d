// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/sha256.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

namespace macec {

std::array<uint8_t, 32> sha256(const void* data, size_t bytes) {
  return llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(static_cast<const uint8_t*>(data), bytes));
}

}  // namespace macec
