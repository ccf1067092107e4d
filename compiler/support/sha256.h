// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256, by LLVM.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace macec {

std::array<uint8_t, 32> sha256(const void* data, size_t bytes);

}  // namespace macec
