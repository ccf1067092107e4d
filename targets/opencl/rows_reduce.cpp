// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of reductions.
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

void specialise_reduce(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const ReduceParamsT<Dim>& p = params_of(call);
  Axes kept, folded;
  for (int a = 0; a < p.kept; ++a)
    kept.push_back({p.extent[a].value(), {p.x_stride[a].value(), p.y_stride[a].value()}});
  for (int a = 0; a < p.reduced; ++a)
    folded.push_back({p.reduce_extent[a].value(), {p.reduce_stride[a].value(), 0}});
  const View &x = call.inputs[0], &y = call.outputs[0];
  cut_at_rows(&kept, 0, list.storage().image_row(x.buffer));
  cut_at_rows(&kept, 1, list.storage().image_row(y.buffer));
  cut_at_rows(&folded, 0, list.storage().image_row(x.buffer));
  const int64_t counted = count_of(folded);
  const ReduceForm form = reduce_form(call, kept, folded);
  if (form == kFoldedVectors) halve_into_vectors(&folded);
  if (form == kResultVectors) halve_into_vectors(&kept);
  const bool has_vectors = form == kFoldedVectors || form == kResultVectors;
  const int64_t results = count_of(kept), count = count_of(folded);
  const bool is_along_results = form == kResultVectors || form == kResultElements;
  const Shares s =
      shares_of(count, results, has_vectors ? 4 : 1, caps, is_along_results ? kNeighbours : 1);

  LaunchBuilder b(list, "opencl/reduce.cl");
  b.read("X", x, access_if(has_vectors));
  define_place(b, "X", "KEPT", kept, 0);
  define_place(b, "X", "FOLD", folded, 0);
  b.inner("X", has_vectors ? 4 : 1);
  b.write("Y", y, access_if(form == kResultVectors));
  define_place(b, "Y", "PUT", kept, 1);
  b.inner("Y", form == kResultVectors ? 4 : 1);
  define_operator(b, call, counted);
  b.define("FORM", form);
  b.define("RESULTS", results);
  b.define("COUNT", count);
  b.define("SHARES", s.shares);
  b.define("LOCAL_RESULTS", s.lines);
  if (is_along_results)
    b.size({results, s.shares, 1}, {s.lines, s.shares, 1});
  else
    b.size({s.shares, results, 1}, {s.shares, s.lines, 1});
  b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_reduce_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"reduce", "reductions over any axes, work-groups share a result", Family::reduce,
                  "opencl/reduce.cl", refuses_reduce, 0.1, nullptr, specialise_reduce, false});
}

}  // namespace macec
