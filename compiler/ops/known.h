// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known contents through elementwise operators: small tensors whose elements are extents, so that
// shape arithmetic under ranges vanishes. Private to ops/.
#pragma once
#include "compiler/ops/op_def.h"

namespace macec {

// Sets the known elements of output 0 if those of the inputs are known and the operation can be
// said in extents. shape: of the output. Integers, bool, and floats that hold whole numbers (Cast
// of a size) take part.
void infer_known_elements(InferContext& context, const Shape& shape);

}  // namespace macec
