// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages between rows and memory for targets with a GPU half. See passes/README.md for the order.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/plan.h"
#include "targets/target.h"

namespace macec {

// --place PATTERN=cpu|gpu. A pattern is the name of an ONNX node, may have '*', or is "all".
struct PlaceRule {
  std::string pattern;
  Device device = Device::cpu;
  bool is_exact() const { return pattern != "all" && pattern.find('*') == std::string::npos; }
};
struct PlaceOptions {
  std::vector<PlaceRule> rules;  // the last one that fits a node decides
  bool no_fallback = false;      // a step that the GPU cannot do is an error
};

// "/a" of "Conv '/a'"; empty for a node without a name.
std::string node_of_origin(const std::string& origin);

// What the user said about the nodes of a step; nothing if no rule fits.
std::optional<Device> wanted_device(const PlaceOptions& options,
                                    const std::vector<std::string>& origins,
                                    const std::string& name);

// Gives every step its device and its reason, so that the sum of work and transfers is least; then
// order and numbers of steps (merge_segments), homes of buffers, segments and transfers
// (find_borders). Throws UserError for rules and --no-fallback that cannot be kept. Needs rows;
// weights are not packed yet.
void place_steps(Plan& plan, const Target& target, const PlaceOptions& options);

// Re-orders steps so that the device changes less often. Numbers are old afterwards.
void merge_segments(Plan& plan);

// From Step::device: Buffer::home, plan.gpu with its segments and transfers. No step on the GPU:
// plan.gpu is reset.
void find_borders(Plan& plan);

// Decides for every buffer and weight that only kernels touch whether it is an image, and fills
// the launches of all steps on the GPU. Needs homes and packed weights.
void specialise_launches(Plan& plan, const Target& target);

// Calls f(view, is_written) for every operand of a step; of control flow, for all views of it and
// of its bodies, as if all were written.
template <class F>
void for_each_operand(const Step& step, const F& f) {
  if (step.kind == Step::call) {
    for (const View& v : step.kernel.inputs) f(v, false);
    for (const View& v : step.kernel.epilogue_inputs) f(v, false);
    for (const View& v : step.kernel.outputs) f(v, true);
    return;
  }
  for (const View* v : {&step.condition, &step.trip_count, &step.iteration, &step.condition_now,
                        &step.condition_next})
    f(*v, true);
  for (const StepList& body : step.bodies)
    for (const Step& inner : body) for_each_operand(inner, f);
}

}  // namespace macec
