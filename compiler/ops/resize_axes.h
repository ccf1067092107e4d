// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a resized axis come from. Private to ops/.
#pragma once
#include <vector>

#include "compiler/ir/graph.h"

namespace macec {

// One axis of Resize, in the terms of params/resize.h:
//   at = (o + pre) * num / (den * scale) + post
struct ResizeAxis {
  Dim in, out;
  bool is_resized = false;
  Dim num = 1, den = 1;
  float scale = 1, pre = 0, post = 0, filter = 1;
};

struct ResizeInputs {
  const Tensor* roi = nullptr;     // [starts..., ends...]; tf_crop_and_resize only
  const Tensor* scales = nullptr;  // one of these two is given
  const std::vector<Dim>* sizes = nullptr;
};

// All axes of x. Throws UserError for attributes that do not fit, and for extents that vary where the
// coordinates of the mode cannot be written down for all of them.
std::vector<ResizeAxis> resize_axes(const Node& node, const Shape& x, const ResizeInputs& inputs);

}  // namespace macec
