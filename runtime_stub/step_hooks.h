// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the app where a run is (--hooks=steps only; otherwise nothing of this stands in the code).
//
// Pasted into the unnamed namespace of a generated .cpp, behind workers.h.
#pragma once
#include "runtime_stub/workers.h"

// Announces a step as long as it lives: `const StepHook hook(c, 3, "conv1");`
struct StepHook {
  StepHook(const Context& context, uint32_t step, const char* name)
      : c_(context), step_(step), name_(name) {
    if (c_.options.on_step) c_.options.on_step(c_.options.user, step_, name_, 1);
  }
  ~StepHook() {
    if (c_.options.on_step) c_.options.on_step(c_.options.user, step_, name_, 0);
  }
  StepHook(const StepHook&) = delete;
  StepHook& operator=(const StepHook&) = delete;

 private:
  const Context& c_;
  const uint32_t step_;
  const char* const name_;
};
