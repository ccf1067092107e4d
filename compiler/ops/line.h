// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators share that work along one axis, line by line. Private to ops/.
#pragma once
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// A call of the family `line` along one axis of x and y, which agree in all other axes; z (rank and
// shape of y but for this axis) may be empty. Throws UserError if the nest of lines has too many
// axes.
KernelCall line_call(const char* op, const View& x, const View& y, size_t axis,
                     const View& z = View());
LineParamsT<Dim>& line_params(KernelCall* call);

// The lines of a dense tensor along an axis, for evaluate: element i of line l is at
// first(l) + i * step.
struct Lines {
  Lines(const std::vector<int64_t>& shape, size_t axis);
  int64_t count = 1, n = 1, step = 1;
  int64_t first(int64_t line) const { return line / step * n * step + line % step; }
};

// UserError unless the type is one that arithmetic is defined on.
void check_line_type(const Node& node, DType dtype, bool only_floats);

}  // namespace macec
