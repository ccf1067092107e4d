// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans -> the text of a generated file pair.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/gpu_tables.h"
#include "compiler/emit/weights.h"
#include "compiler/ir/plan.h"
#include "targets/target.h"

namespace macec {

// An input or output of the model as the app sees it.
struct Port {
  std::string name;
  TensorType type;
};

struct StatePort {
  std::string name;
  TensorType in, out;
};

// One model after planning: what the emitter prints.
struct CompiledModel {
  std::string name;         // C identifier
  std::vector<Plan> plans;  // the first is used; the next one when a run returns MACEC_E_DEVICE
  std::vector<Port> inputs, outputs;
  std::vector<StatePort> states;
  std::vector<std::shared_ptr<const Symbol>>
      symbols;  // given by the caller, in the order of the signature
  std::optional<GpuCheck> gpu_check;  // the recorded answer of the self-check
  std::array<uint8_t, 32> onnx_sha256{};
  std::string options;  // flags that shaped the code
  int max_threads = 4;
};

struct EmitOptions {
  std::string stem = "model";          // of the file names
  std::string command;                 // for the head of the file; base names only
  std::optional<WeightsMode> weights;  // nothing: by size
  bool step_hooks = false;
};

struct EmittedFile {
  std::string name;  // "kws.cpp"
  std::string bytes;
};

// The header, the source, and what the weights need beside them. Same input, same bytes.
std::vector<EmittedFile> emit(const std::vector<CompiledModel>& models, const Target& target,
                              const EmitOptions& options);

}  // namespace macec
