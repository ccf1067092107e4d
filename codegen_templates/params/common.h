// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all parameter structs share.
//
// A parameter struct is declared once, as a template over the integer type of its extents: the compiler
// fills XParamsT<Dim>, a kernel takes XParamsT<int64_t>. Fields that must be constants of the generated
// code (the *form*) are plain int in both. `each` names every field once, in the order of declaration:
// the compiler prints the initialiser from it.
#pragma once
#include <stdint.h>

// Columns of a unit of the kernels that split a product by its columns: whole tiles at every level.
[[maybe_unused]] constexpr int64_t kUnitColumns = 64;
