// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/optional_outputs.h"

namespace macec {
namespace {

struct Finder {
  const Plan& plan;
  std::vector<bool>& optional;

  // Not optional: something other than a call with this output alone uses it.
  void needs(const View& view) {
    if (view.buffer < 0) return;
    const Buffer& buffer = plan.buffers[static_cast<size_t>(view.buffer)];
    if (buffer.place == Buffer::output) optional[static_cast<size_t>(buffer.index)] = false;
  }
  void visit(const StepList& steps) {
    for (const Step& step : steps) {
      for (const StepList& body : step.bodies) visit(body);
      for (const View* v : {&step.condition, &step.trip_count, &step.iteration, &step.condition_now,
                            &step.condition_next})
        needs(*v);
      const KernelCall& call = step.kernel;
      for (const View& v : call.inputs) needs(v);
      for (const View& v : call.epilogue_inputs) needs(v);
      if (call.outputs.size() > 1)
        for (const View& v : call.outputs) needs(v);
    }
  }
};

}  // namespace

std::vector<bool> optional_outputs(const std::vector<Plan>& plans, size_t outputs) {
  std::vector<bool> optional(outputs, outputs > 1);
  for (const Plan& plan : plans) Finder{plan, optional}.visit(plan.steps);
  return optional;
}

int only_output(const Plan& plan, const KernelCall& call) {
  if (call.outputs.size() != 1 || call.outputs[0].buffer < 0) return -1;
  const Buffer& buffer = plan.buffers[static_cast<size_t>(call.outputs[0].buffer)];
  return buffer.place == Buffer::output ? buffer.index : -1;
}

}  // namespace macec
