// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan: how the model runs. Kernel calls on buffers; nothing here asks what an ONNX operator means.
//
// A step is one kernel call, an If or a Loop with steps of its own, or the end of the run. The emitter prints a Plan
// and never looks at a Graph.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen_templates/params/all.h"
#include "compiler/ir/graph.h"

namespace macec {

// Where the elements of an operand are. Strides in elements per logical axis; a broadcast axis has
// stride 0.
struct View {
  int buffer = -1;  // index into Plan::buffers; -1: nothing
  DType dtype = DType::undefined;
  Dim offset;   // elements
  Shape shape;  // logical, ONNX's axis order
  std::vector<Dim> strides;
  TensorPtr constant;  // set for weights: the contents, not yet packed

  int rank() const { return static_cast<int>(shape.size()); }
  // Row-major without gaps in ONNX's axis order (offset may be anything).
  bool is_dense() const;
  // N, spatial..., C without gaps.
  bool is_dense_channels_last() const;
  // Whether the elements lie as those of another view of the same shape do, wherever both begin. How far apart the
  // elements along an axis of extent 1 are says nothing.
  bool lies_like(const View& other) const;
};
View dense_view(int buffer, const TensorType& type);

enum class Family {
  conv,
  gemm,
  pool,
  pointwise,
  copy,
  fill,
  pad,
  resize,
  reduce,
  softmax,
  norm,
  channel_norm,
  recurrent,
  gather,
  iota,
  line,
  pick,
  sample,
  attention,
  dft
};
std::string_view name(Family family);

// How a constant operand is stored for a kernel.
//   plain    as it is (converted to the kernel's element type)
//   panels   [ceil(n / width)][k][width], zeros behind the last column          gemm, conv
//   taps     [tap][channel]                                                     depthwise
//   phases   panels with the taps in the order of output phases                 transposed conv
//   groups   [k][n][group]                                                      depthwise, n > 1
// With depth d > 1 panels are [ceil(n / width)][tap][ceil(k of a tap / d)][width][d], zeros behind the
// last k of a tap.
struct Packing {
  enum Kind { plain, panels, taps, phases, groups } kind = plain;
  int width = 1;
  int depth = 1;
  bool operator==(const Packing& o) const {
    return kind == o.kind && width == o.width && depth == o.depth;
  }
};

using CallParams =
    std::variant<std::monostate, ConvParamsT<Dim>, GemmParamsT<Dim>, PoolParamsT<Dim>,
                 PointwiseParamsT<Dim>, CopyParamsT<Dim>, FillParamsT<Dim>, ReduceParamsT<Dim>,
                 SoftmaxParamsT<Dim>, NormParamsT<Dim>, GatherParamsT<Dim>, IotaParamsT<Dim>,
                 GatherNestParamsT<Dim>, PadParamsT<Dim>, ResizeParamsT<Dim>,
                 ChannelNormParamsT<Dim>, RecurrentParamsT<Dim>, LineParamsT<Dim>, PickParamsT<Dim>,
                 GridSampleParamsT<Dim>, AttentionParamsT<Dim>, RoiParamsT<Dim>,
                 ColumnsParamsT<Dim>, DftParamsT<Dim>>;

struct KernelRow;  // targets/target.h
struct GpuRow;     // targets/opencl/gpu_row.h

enum class Device { cpu, gpu };

// One enqueued OpenCL kernel of a call. The text is the template `file` behind `preamble`, which
// names everything that is constant; launches with equal file and preamble share one kernel.
struct GpuArgument {
  enum Kind {
    memory,   // the cl_mem that holds the buffer: device arena, shared memory, or the weights
    image,    // the image that holds the buffer, or that a weight was made into
    integer,  // value
    offset,   // elements: value. plan_memory adds the place of the buffer in the device arena; the
              // emitter that of a weight among all weights
    local,    // value bytes of local memory
    problem,  // an int of device memory, 0 at the start of a run; a kernel writes there the number
              // of its problem, so that the run fails
    problem_number,  // of this step: an index into the messages of all problems, from 1
  } kind = integer;
  int buffer = -1;
  int64_t value = 0;
};
struct GpuLaunch {
  std::string file;      // "opencl/conv.cl"
  std::string preamble;  // "#define X_H_I 96\n..." and inline functions
  std::vector<GpuArgument> arguments;
  int64_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};  // global: multiples of local
  double flops = 0, bytes = 0;                          // of one run; bytes: touched at least once
};

// One call of a kernel family. Operands in the order of the kernel's arguments.
struct KernelCall {
  Family family = Family::pointwise;
  std::string op;  // what of the family: "Max" of pool or reduce, "log" of softmax
  CallParams params;
  std::vector<View> inputs;  // buffer -1: argument not given (nullptr)
  std::vector<View> outputs;
  // A constant input that the kernel wants packed, as a matrix: see ops/lowering.h. Filled by
  // lower: for every input, the packing kind that suits the family and the matrix shape; plain for
  // all others.
  struct ConstantUse {
    Packing::Kind kind = Packing::plain;
    int64_t groups = 1, n = 0, k = 0;  // panels: matrices, columns, depth; taps: k taps, n channels
    int64_t stride_group = 0, stride_n = 0,
            stride_k = 0;              // in elements of the (re-ordered) constant
    int64_t tap_k = 0;                 // how much of the depth belongs to one tap; 0: all
    std::vector<int64_t> k_order;      // if set: depth index -> element offset, instead of stride_k
    std::vector<int64_t> phase_order;  // the same for phases
  };
  std::vector<ConstantUse> constant_uses;
  // Fused pointwise steps; StepArg::input indexes epilogue_inputs. For Family::pointwise the steps
  // are the work itself, and StepArg::input indexes `inputs`; `results` says which step each output
  // stores.
  std::vector<PointwiseStep> epilogue;
  std::vector<View> epilogue_inputs;
  std::vector<int> results;
  // Strides of epilogue_inputs by (row, column) of the kernel's output: see ops/lowering.h.
  std::vector<Dim> epilogue_row_strides;
  std::vector<int> epilogue_col_strides;  // 0 or 1
  // An extent of the outputs that the kernel finds out: it writes the number to an int64 behind its
  // last output. Nothing that the kernel is told may depend on it.
  std::shared_ptr<const Symbol> counts;
  Dim units = 1;                           // work units
  int64_t column_units = 0;                // those of a row that splits columns; 0: `units` as well
  bool is_in_order = false;                // one worker does all units: they share bytes
  double multiply_adds = 0, elements = 0;  // at the upper bounds

  // Chosen by targets/choose: one row per level (same packings), scratch bytes per worker.
  std::vector<const KernelRow*> rows;
  std::vector<int> weights;  // per input: index into Plan::weights, -1 none
  int64_t scratch_bytes = 0;

  // The OpenCL half, of targets that have one. rows may be empty if gpu_row is set, and the other
  // way round.
  const GpuRow* gpu_row = nullptr;
  std::string gpu_refusal;          // why gpu_row is not set: "no kernel for int8 convolutions"
  std::vector<GpuLaunch> launches;  // of a step on the GPU, from specialise_launches
};

struct Step;
using StepList = std::vector<Step>;

struct Step {
  enum Kind { call, branch, loop, fail } kind = call;
  Device device = Device::cpu;  // from place_steps; control flow and its bodies: cpu
  std::string reason;           // why there: "no OpenCL kernel for gather"; empty without a GPU
  std::string name;             // of its main ONNX node, for comments and identifiers
  std::vector<std::string> origins;
  KernelCall kernel;  // call

  std::string failure;  // fail: what the app is told
  View condition;  // branch: bool scalar; loop: bool scalar carried condition (buffer -1: none)
  std::vector<StepList> bodies;                       // branch: then, else; loop: body
  std::vector<std::vector<ExtentCheck>> body_checks;  // of each body: made where it runs
  // loop
  View trip_count;      // int64 scalar, buffer -1: none
  View iteration;       // int64 scalar the body reads; buffer -1: nobody does
  View condition_now;   // loop: the condition that the body reads
  View condition_next;  // where the body leaves the condition; buffer -1: it stays true
  // The number of the running iteration, then of all done. Views use it in their offsets: scan
  // outputs are written in place (offset = index * slice); a carried value is a buffer of two
  // halves, read at half (index mod 2) and written at the other one, so nothing is copied.
  std::shared_ptr<const Symbol> index;
  int64_t bound = -1;                // iterations that the scan outputs have room for; -1: no limit
  std::vector<int> carried_buffers;  // live during the whole loop
  // Computed extents that this step sets: for a branch one expression per body, for a loop one
  // (index is set already), for a call that counts none: its last output has the number.
  struct Extent {
    std::shared_ptr<const Symbol> symbol;
    std::vector<Dim> values;
  };
  std::vector<Extent> extents;

  int number = -1;          // depth first
  int scratch_buffer = -1;  // of a call; from plan_memory
};

struct Buffer {
  enum Place { arena, input, output, state, next_state, weight, scratch } place = arena;
  std::string name;
  DType dtype = DType::undefined;
  Dim elements;
  int64_t bytes = 0;          // at the upper bounds
  int index = -1;             // of the model's input, output, state, weight
  int inside = -1;            // the buffer whose bytes it shares (in-place work); -1: its own
  int first = -1, last = -1;  // step numbers between which its contents are needed
  int64_t offset = -1;        // in the arena (of its home), from plan_memory

  // Where its bytes are when a GPU takes part:
  //   host    the app's memory (arena, inputs, outputs, states), as without a GPU
  //   device  the device arena: a cl_mem that only kernels touch
  //   shared  host-visible cl_mem: touched by both, mapped while the CPU has it; also the device's
  //           side of inputs, outputs and states that kernels touch
  //   image   an image2d: only kernels touch it, four elements a texel
  // Weights stay `host`: kernels read a copy of all weights made at open.
  enum Home { host, device, shared, image } home = host;
  int64_t image_row = 0;  // image: elements in one row of texels (a multiple of 4)
  // image: index into GpuPlan::images; shared: into GpuPlan::shared; a weight with an image_row:
  // into GpuPlan::weight_images
  int object = -1;
};

// Packed constant. Keyed by contents and packing: equal ones stand once.
struct Weight {
  std::string name;
  std::vector<unsigned char> bytes;
  std::string shape_text;  // "float32[32,3,3,3] in panels of 16"
  DType dtype = DType::float32;
};

// An image object: it holds one buffer at a time. Texels of four float32 or float16.
struct GpuImage {
  int64_t width = 0, height = 0;  // texels
  DType dtype = DType::float32;
  int64_t bytes() const { return width * height * 4 * (dtype == DType::float16 ? 2 : 4); }
};
// A weight that kernels read as an image: made at open from the packed bytes.
struct GpuWeightImage {
  int buffer = -1;                // of place weight
  int64_t width = 0, height = 0;  // texels
};
// A memory object that both devices see. Of place arena it holds one buffer at a time; of an input,
// output or state only that.
struct GpuShared {
  int64_t bytes = 0;
  Buffer::Place place = Buffer::arena;
  int index = -1;  // of the input, output or state
};
// Steps one device runs without the other, in order.
struct Segment {
  Device device = Device::cpu;
  int first = 0, last = 0;  // step numbers
};
// A value that changes hands. shared: a buffer of home shared.
struct Transfer {
  enum Kind {
    upload,    // the app's input or the context's state -> shared
    download,  // shared -> the app's output or the context's next state
    map,       // the CPU gets it
    unmap,     // the GPU gets it back
  } kind = upload;
  int buffer = -1;
  int segment = 0;  // happens before this segment; segments.size(): after the last one
  int64_t bytes = 0;
  bool is_read = false, is_written = false;  // map: what the CPU does with it until the unmap
};
struct GpuPlan {
  std::vector<Segment> segments;
  std::vector<Transfer> transfers;
  std::vector<GpuImage> images;
  std::vector<GpuWeightImage> weight_images;
  std::vector<GpuShared> shared;
  int64_t device_bytes = 0, device_live_bytes = 0;  // the device arena and its lower bound
  int64_t shared_bytes = 0, shared_live_bytes = 0;
  int64_t image_bytes = 0, image_live_bytes = 0;
  int launches = 0;
};

struct Plan {
  std::string name;
  std::optional<GpuPlan> gpu;  // set if any step runs on the GPU
  std::string estimate;        // from place_steps: "820 us as placed, 3100 us on the CPU alone"
  std::vector<Buffer> buffers;
  StepList steps;
  std::vector<Weight> weights;
  // Those on the caller's extents alone are made before the run, the others as soon as the steps
  // have set their extents.
  std::vector<ExtentCheck> checks;
  int step_count = 0;
  int64_t arena_bytes = 0;       // from plan_memory
  int64_t scratch_bytes = 0;     // per worker, the largest of all steps
  int64_t graph_live_bytes = 0;  // peak of the imported graph, node by node
  int64_t plan_live_bytes = 0;  // peak of this plan, scratch included: the lower bound of the arena
};

std::string text(const Plan& plan);

}  // namespace macec
