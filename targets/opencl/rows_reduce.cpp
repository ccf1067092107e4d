// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of reductions.
#include <algorithm>
#include <array>

#include "targets/opencl/launch_builder.h"
#include "targets/opencl/row_checks.h"
#include "targets/opencl/shares.h"

namespace macec {
namespace {

const ReduceParamsT<Dim>& params_of(const KernelCall& call) {
  return std::get<ReduceParamsT<Dim>>(call.params);
}

// An operator over ACC: macros of opencl/reduce.cl.
struct ReduceOp {
  const char *name, *init, *step, *merge, *finish;
  bool is_for_integers, is_shifted;
};
constexpr const char* kAdd = "((a) + (b))";
constexpr const char* kSame = "(a)";
constexpr ReduceOp kOps[] = {
    {"Sum", "0", "((a) + (x))", kAdd, kSame, true, false},
    {"Mean", "0", "((a) + (x))", kAdd, "((a) / COUNTED)", true, false},
    {"Max", "LOWEST", "GREATER(a, x)", "GREATER(a, b)", kSame, true, false},
    {"Min", "HIGHEST", "LESSER(a, x)", "LESSER(a, b)", kSame, true, false},
    {"Prod", "1", "((a) * (x))", "((a) * (b))", kSame, true, false},
    {"L1", "0", "((a) + MAGNITUDE(x))", kAdd, kSame, true, false},
    {"L2", "0", "((a) + (x) * (x))", kAdd, "sqrt(a)", false, false},
    {"LogSum", "0", "((a) + (x))", kAdd, "log(a)", false, false},
    {"LogSumExp", "0", "((a) + exp((x)-shift))", kAdd, "log(a)", false, true},
    {"SumSquare", "0", "((a) + (x) * (x))", kAdd, kSame, true, false},
};

const ReduceOp* find_op(const std::string& op) {
  for (const ReduceOp& o : kOps)
    if (op == o.name) return &o;
  return nullptr;
}

int64_t product_of(const Dim* extents, int count) {
  int64_t product = 1;
  for (int a = 0; a < count; ++a) product *= extents[a].value();
  return product;
}

std::string refuses_reduce(const KernelCall& call, const GpuCapabilities&) {
  const ReduceParamsT<Dim>& p = params_of(call);
  const ReduceOp* op = find_op(call.op);
  if (!op) return fmt::format("no reduction is called {}", call.op);
  const DType dtype = call.inputs[0].dtype;
  const bool is_integer = info(dtype).is_integer && info(dtype).bits >= 8 && op->is_for_integers;
  if (!is_gpu_float(dtype) && !is_integer)
    return fmt::format("{} of {} along axes", call.op, name(dtype));
  if (product_of(p.extent, p.kept) < 1 || product_of(p.reduce_extent, p.reduced) < 1)
    return "a reduction of nothing";
  return {};
}

// Axes that an index walks, outermost first, with the strides of one or two operands.
struct Axis {
  int64_t extent = 1;
  std::array<int64_t, 2> stride{};  // x, y
};
using Axes = std::vector<Axis>;

// Axes are merged as far as flat memory allows; the rows of an image cut them again.
void cut_at_rows(Axes* axes, size_t operand, int64_t image_row) {
  if (image_row <= 0) return;
  for (size_t a = 0; a < axes->size(); ++a) {
    const int64_t stride = (*axes)[a].stride[operand], extent = (*axes)[a].extent;
    if (stride <= 0 || image_row % stride != 0 || stride * extent <= image_row) continue;
    const int64_t inner = image_row / stride;
    if (extent % inner != 0) continue;
    Axis outer = (*axes)[a];
    outer.extent = extent / inner;
    for (int64_t& s : outer.stride) s *= inner;
    (*axes)[a].extent = inner;
    axes->insert(axes->begin() + static_cast<std::ptrdiff_t>(a), outer);
    ++a;
  }
}

int64_t count_of(const Axes& axes) {
  int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.extent;
  return count;
}

// Defines <macro>_R(i) and <macro>_I(i): the place of index i in an operand; and the strides that
// they use, <operand>_<macro>0 and so on.
void define_place(LaunchBuilder& b, const std::string& operand, const std::string& macro,
                  const Axes& axes, size_t which) {
  std::string rows = "0", inner = "0";
  int64_t behind = 1;
  for (size_t a = axes.size(); a-- > 0;) {
    const std::string stride = fmt::format("{}_{}{}", operand, macro, a);
    b.stride(stride, axes[a].stride[which], axes[a].extent);
    std::string index = "(i)";
    if (behind > 1) index = fmt::format("{} / {}", index, behind);
    if (a > 0) index = fmt::format("{} % {}", index, axes[a].extent);
    rows += fmt::format(" + {} * {}_R", index, stride);
    inner += fmt::format(" + {} * {}_I", index, stride);
    behind *= axes[a].extent;
  }
  b.define_text(macro + "_R(i)", "(" + rows + ")");
  b.define_text(macro + "_I(i)", "(" + inner + ")");
}

// The numbers of opencl/reduce.cl.
enum ReduceForm { kFoldedVectors, kFoldedElements, kResultVectors, kResultElements };

ReduceForm reduce_form(const KernelCall& call, const Axes& kept, const Axes& folded) {
  const bool is_float = is_gpu_float(call.inputs[0].dtype);
  const auto has_vectors = [&](const Axes& axes) {
    return is_float && !axes.empty() && axes.back().stride[0] == 1 && axes.back().extent % 4 == 0;
  };
  if (has_vectors(folded)) return kFoldedVectors;
  if (has_vectors(kept) && kept.back().stride[1] == 1) return kResultVectors;
  const bool runs_along_results = !kept.empty() && kept.back().stride[0] == 1;
  return runs_along_results ? kResultElements : kFoldedElements;
}

void halve_into_vectors(Axes* axes) {
  axes->back().extent /= 4;
  for (int64_t& s : axes->back().stride) s *= 4;
}

void define_operator(LaunchBuilder& b, const KernelCall& call, int64_t counted) {
  const ReduceOp& op = *find_op(call.op);
  const DType dtype = call.inputs[0].dtype;
  const bool is_float = is_gpu_float(dtype), is_unsigned = dtype == DType::uint64;
  b.define_text("ACC", is_float ? "float" : is_unsigned ? "ulong" : "long");
  b.define_text("COUNTED", fmt::format(is_float ? "{}.0f" : "{}", counted));
  b.define_text("LOWEST", is_float ? "-INFINITY" : is_unsigned ? "0" : "LONG_MIN");
  b.define_text("HIGHEST", is_float ? "INFINITY" : is_unsigned ? "ULONG_MAX" : "LONG_MAX");
  b.define_text("MAGNITUDE(x)", is_float      ? "fabs(x)"
                                : is_unsigned ? "(x)"
                                              : "((x) < 0 ? -(x) : (x))");
  b.define_text("GREATER(a, b)", is_float ? "FOLD_GREATEST(a, b)" : "max(a, b)");
  b.define_text("LESSER(a, b)", is_float ? "FOLD_LEAST(a, b)" : "min(a, b)");
  b.define_text("INIT", op.init);
  b.define_text("STEP(a, x, shift)", op.step);
  b.define_text("MERGE(a, b)", op.merge);
  b.define_text("FINISH(a)", op.finish);
  b.define("IS_SHIFTED", op.is_shifted ? 1 : 0);
}

struct ReduceWork {
  Axes kept, folded;    // in vectors, where the form has some
  int64_t counted = 1;  // elements of a result
  ReduceForm form = kFoldedElements;
  bool has_vectors = false, is_along_results = false;
  int64_t results = 1, count = 1;  // results or vectors of them; elements or vectors of each
  Shares shares{};
  int64_t chunks = 1, each = 1;  // each: elements or vectors of a chunk
};

constexpr int64_t kMostChunks = 64, kLeastChunk = 8;  // elements of an item in one chunk

ReduceWork cut_work(const KernelCall& call, const GpuStorage& storage,
                    const GpuCapabilities& caps) {
  const ReduceParamsT<Dim>& p = params_of(call);
  ReduceWork w;
  for (int a = 0; a < p.kept; ++a)
    w.kept.push_back({p.extent[a].value(), {p.x_stride[a].value(), p.y_stride[a].value()}});
  for (int a = 0; a < p.reduced; ++a)
    w.folded.push_back({p.reduce_extent[a].value(), {p.reduce_stride[a].value(), 0}});
  cut_at_rows(&w.kept, 0, storage.image_row(call.inputs[0].buffer));
  cut_at_rows(&w.kept, 1, storage.image_row(call.outputs[0].buffer));
  cut_at_rows(&w.folded, 0, storage.image_row(call.inputs[0].buffer));
  w.counted = count_of(w.folded);
  w.form = reduce_form(call, w.kept, w.folded);
  if (w.form == kFoldedVectors) halve_into_vectors(&w.folded);
  if (w.form == kResultVectors) halve_into_vectors(&w.kept);
  w.has_vectors = w.form == kFoldedVectors || w.form == kResultVectors;
  w.is_along_results = w.form == kResultVectors || w.form == kResultElements;
  w.results = count_of(w.kept);
  w.count = w.each = count_of(w.folded);
  w.shares = shares_of(w.count, w.results, w.has_vectors ? 4 : 1, caps,
                       w.is_along_results ? kNeighbours : 1);
  // What has to know the greatest element first, or is no float, is not cut.
  if (find_op(call.op)->is_shifted || !is_gpu_float(call.inputs[0].dtype)) return w;
  const int64_t wanted = caps.work_items / (w.results * w.shares.shares);
  const int64_t most = w.count / (w.shares.shares * kLeastChunk);
  w.chunks = std::max<int64_t>(std::min({wanted, most, kMostChunks}), 1);
  w.each = (w.count + w.chunks - 1) / w.chunks;
  w.chunks = (w.count + w.each - 1) / w.each;
  return w;
}

// part: 0 alone, 1 the chunks, 2 their results in one.
void add_part(const KernelCall& call, const ReduceWork& w, int part, LaunchList& list) {
  LaunchBuilder b(list, "opencl/reduce.cl");
  if (part < 2) {
    b.read("X", call.inputs[0], access_if(w.has_vectors));
    define_place(b, "X", "KEPT", w.kept, 0);
    define_place(b, "X", "FOLD", w.folded, 0);
    b.inner("X", w.has_vectors ? 4 : 1);
  }
  if (part > 0) b.scratch(w.results * w.chunks * (w.form == kResultVectors ? 4 : 1));
  if (part != 1) {
    b.write("Y", call.outputs[0], access_if(w.form == kResultVectors));
    define_place(b, "Y", "PUT", w.kept, 1);
    b.inner("Y", w.form == kResultVectors ? 4 : 1);
  }
  define_operator(b, call, w.counted);
  b.define("PART", part);
  b.define("FORM", w.form);
  b.define("RESULTS", w.results);
  b.define("COUNT", w.count);
  b.define("CHUNKS", w.chunks);
  b.define("EACH", w.each);
  b.define("SHARES", w.shares.shares);
  b.define("LOCAL_RESULTS", w.shares.lines);
  const int64_t groups = part < 2 ? w.chunks : 1;
  if (w.is_along_results)
    b.size({w.results, w.shares.shares, groups}, {w.shares.lines, w.shares.shares, 1});
  else
    b.size({w.shares.shares, w.results, groups}, {w.shares.shares, w.shares.lines, 1});
  if (part < 2) b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

void specialise_reduce(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const ReduceWork w = cut_work(call, list.storage(), caps);
  if (w.chunks == 1) return add_part(call, w, 0, list);
  add_part(call, w, 1, list);
  add_part(call, w, 2, list);
}

}  // namespace

void append_gpu_reduce_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"reduce", "reductions over any axes, in one launch or two", Family::reduce,
                  "opencl/reduce.cl", refuses_reduce, 0.1, nullptr, specialise_reduce, false});
}

}  // namespace macec
