// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the app where a run is (--hooks=steps only; otherwise nothing of this stands in the code).
//
// Two calls, not an object with a destructor: that would need the C++ library's exception support.
// Pasted into the unnamed namespace of a generated .cpp, behind workers.h.
#pragma once
#include "runtime_stub/workers.h"

// step: its number in the plan; name: of its main ONNX node.
[[maybe_unused]] void step_begins(const Context& c, uint32_t step, const char* name) {
  if (c.options.on_step) c.options.on_step(c.options.user, step, name, 1);
}
[[maybe_unused]] void step_ends(const Context& c, uint32_t step, const char* name) {
  if (c.options.on_step) c.options.on_step(c.options.user, step, name, 0);
}
