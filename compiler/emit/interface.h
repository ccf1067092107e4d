// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the outside of a generated file pair is made from: the header and the C interface of the
// source.
//
// The emitter fills one ModelInterface per model; nothing here knows a Plan. A generated source is
// put together
//
//   head comment                  the emitter
//   write_source_prelude          includes, Context, run_units: everything the steps may use
//   run function, kernels, steps  the emitter; a level's run function: `macec_status f(Context& c)`
//   write_interface_source        tables, checks, open, run, close, <name>_model()
//   write_weights (weights.h)     the numbers
//
// runtime_stub/context.h says what a step finds in its Context.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace macec {

// One extent of an input or output.
struct Extent {
  enum Kind {
    fixed,      // `value`
    dimension,  // `value` is the index of one of ModelInterface::dims
    computed,   // `code`, of the dims
    later       // follows from run-time values: `final_code`; `code` is its bound, of the dims
  } kind = fixed;
  int64_t value = 0;
  std::string code;  // C expression of type int64_t over identifiers of dims; macec_floor_div,
                     // _min, _max allowed
  std::string text;  // for people: "past+1"; empty: made from the above
  std::string final_code = {};  // later: of dims and of value_<n>, which is c.dim[n]
};
Extent fixed_extent(int64_t value);
Extent dim_extent(int index);
Extent computed_extent(std::string code, std::string text);
Extent later_extent(std::string bound_code, std::string final_code, std::string text);

struct InterfaceDim {
  std::string name;                  // as in the model
  std::string identifier;            // empty: assign_identifiers makes one
  int64_t lo = 1, hi = 1, step = 1;  // lo <= value <= hi, value % step == lo % step
};

struct InterfaceTensor {
  std::string name;        // as in the ONNX file
  std::string identifier;  // empty: assign_identifiers makes one
  int dtype = 1;           // ONNX's number
  std::vector<Extent> shape;
  int64_t max_bytes = 0;     // at the upper bounds
  bool may_be_null = false;  // outputs: the run copes with c.out[i] == nullptr
  // Quantized tensors; else empty and -1.
  std::vector<float> scale;
  std::vector<int32_t> zero_point;
  int axis = -1;
};

// An output tied to an input; both left the signature. Starts as zeros.
struct InterfaceState {
  std::string name;  // of the input
  int dtype = 1;
  std::vector<Extent> in_shape, out_shape;
  int64_t max_bytes = 0;  // of the larger of the two, at the upper bounds
};

// Two extents that must be equal in every run.
struct InterfaceCheck {
  std::string left_code, right_code;  // as Extent::code
  std::string left_text, right_text;  // "axis 1 of 'x'"
};

// One instruction-set level. Levels stand from the lowest to the highest; options.level counts them
// from 1.
struct InterfaceLevel {
  std::string name;  // "x86-64-v3"
  std::vector<std::string>
      features;                  // that the processor must have, LLVM's names: "avx2", "dotprod"
  std::vector<std::string> run;  // C++ names of the run functions, one per plan
};

// The OpenCL half of a model: plan 0 of every level runs on it. The source holds <name>::kGpu, a
// GpuModel (runtime_stub/gpu_tables.h), before the interface.
struct InterfaceGpu {
  int64_t launches = 0, shared = 0, images = 0, weight_images = 0;  // rows of its tables
};

enum class WeightsMode { none, array, assembler, incbin, file, external };

struct ModelInterface {
  std::string name;                       // C identifier; macros take it in capitals
  std::vector<std::string> summary;       // comment lines at the top of its section in the header
  std::string compiler, target, options;  // "macec 0.1.0", "x86-64", "--dim frames=1..32"
  std::array<uint8_t, 32> onnx_sha256{};
  uint32_t build = 0;  // hash of the pair: header and source must agree
  uint64_t weights_layout = 0;
  int64_t weights_bytes = 0;  // of the packed weights, without the blob's head; 0: none
  WeightsMode weights_mode = WeightsMode::none;
  int64_t arena_bytes = 0;  // scratch of all workers included
  int64_t fast_bytes = 0;
  int max_threads = 1;
  int value_count = 0;            // run-time numbers of the steps: c.dim[dims.size()] and so on
  bool has_input_memory = false;  // false: model->input returns NULL for every input; true needs a
                                  // GPU
  std::vector<InterfaceDim> dims;
  std::vector<InterfaceTensor> inputs, outputs;
  std::vector<InterfaceState> states;
  std::vector<InterfaceCheck> checks;
  std::vector<InterfaceLevel> levels;
  std::optional<InterfaceGpu> gpu;

  // Calls with up to this many tensors list them; with more they are passed in one struct.
  static constexpr size_t kMostParameters = 6;
  bool has_io_struct() const { return inputs.size() + outputs.size() > kMostParameters; }
  // Whether the header has <name>_once, which opens, runs and closes.
  bool has_once() const {
    return dims.empty() && states.empty() && !gpu && weights_mode != WeightsMode::file;
  }
};

// Both files of a pair; several models may share one.
struct GeneratedPair {
  std::string header_name;            // "kws.h"
  std::vector<std::string> banner;    // comment lines at the top of the header
  std::vector<std::string> includes;  // for the source, with brackets: "<math.h>"
  bool step_hooks = false;            // --hooks=steps: the steps may call step_begins and step_ends
  std::vector<ModelInterface> models;

  bool has_gpu() const {
    for (const ModelInterface& model : models)
      if (model.gpu) return true;
    return false;
  }
};

// Fills the empty identifiers: made from the names, valid in C and C++, different from each other
// and from every name that the header uses.
void assign_identifiers(ModelInterface& model);

// Memory that the app provides: context, arena, fast, both copies of the states, and 63 bytes to
// align. The context is counted for 64-bit pointers, so that one number holds for every processor.
int64_t memory_bytes(const ModelInterface& model);
// Bytes for options.state: both copies and 63; 0 without states.
int64_t state_bytes(const ModelInterface& model);
int64_t state_offset(const ModelInterface& model, size_t state);  // in one copy

std::string write_header(const GeneratedPair& pair);
std::string write_source_prelude(const GeneratedPair& pair);
std::string write_interface_source(const GeneratedPair& pair);

}  // namespace macec
