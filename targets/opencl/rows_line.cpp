// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of softmax and of the normalisation of rows: work along lines, each of one work-group
// or of a part of one.
#include <algorithm>

#include "targets/opencl/launch_builder.h"
#include "targets/opencl/row_checks.h"
#include "targets/opencl/shares.h"

namespace macec {
namespace {

// --- softmax

std::string refuses_softmax(const KernelCall& call, const GpuCapabilities&) {
  const auto& p = std::get<SoftmaxParamsT<Dim>>(call.params);
  if (!is_gpu_float(call.inputs[0].dtype) || !is_gpu_float(call.outputs[0].dtype))
    return fmt::format("softmax of {}", name(call.inputs[0].dtype));
  if ((p.outer * p.n * p.inner).value() < 1) return "softmax of nothing";
  return epilogue_refusal(call);
}

// The numbers of opencl/softmax.cl.
enum SoftmaxForm { kDenseVectors, kDenseElements, kNeighbourVectors, kNeighbourElements };

SoftmaxForm softmax_form(const SoftmaxParamsT<Dim>& p) {
  if (p.x_step == Dim(1) && p.y_step == Dim(1))
    return p.n.value() % 4 == 0 ? kDenseVectors : kDenseElements;
  return p.inner.value() % 4 == 0 ? kNeighbourVectors : kNeighbourElements;
}

void specialise_softmax(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const auto& p = std::get<SoftmaxParamsT<Dim>>(call.params);
  const SoftmaxForm form = softmax_form(p);
  const bool is_dense = form == kDenseVectors || form == kDenseElements;
  const bool has_vectors = form == kDenseVectors || form == kNeighbourVectors;
  const int64_t count = form == kDenseVectors ? p.n.value() / 4 : p.n.value();
  const int64_t lines = has_vectors && !is_dense ? p.inner.value() / 4 : p.inner.value();
  const int64_t outer = p.outer.value();
  const int width = has_vectors ? 4 : 1;
  Shares s =
      shares_of(count, lines * outer, width, caps, is_dense ? 1 : std::min(lines, kNeighbours));
  LaunchBuilder b(list, "opencl/softmax.cl");
  const auto step = [&](const Dim& d) {
    return form == kDenseVectors ? Dim(4) : form == kDenseElements ? Dim(1) : d;
  };
  b.read("X", call.inputs[0], access_if(has_vectors));
  b.stride("X_OUTER", p.x_outer, p.outer);
  b.stride("X_STEP", step(p.x_step), count);
  b.inner("X", is_dense ? Dim(width) : p.inner);
  b.write("Y", call.outputs[0], access_if(has_vectors));
  b.stride("Y_OUTER", p.y_outer, p.outer);
  b.stride("Y_STEP", step(p.y_step), count);
  b.inner("Y", is_dense ? Dim(width) : p.inner);
  b.define("FORM", form);
  b.define("IS_LOG", call.op == "log" ? 1 : 0);
  b.define("COUNT", count);
  b.define("SHARES", s.shares);
  b.define("HELD", s.held);
  if (is_dense) {
    b.define("OUTER", outer);
    b.define("LOCAL_LINES", s.lines);
    b.epilogue(call, p.n, p.outer);
    b.size({s.shares, outer, 1}, {s.shares, s.lines, 1});
  } else {
    while (s.lines > 1 && s.lines / 2 >= lines) s.lines /= 2;
    b.define("LINES", lines);
    b.define("LOCAL_LINES", s.lines);
    b.size({lines, s.shares, outer}, {s.lines, s.shares, 1});
  }
  b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

// --- norm

std::string refuses_norm(const KernelCall& call, const GpuCapabilities&) {
  const auto& p = std::get<NormParamsT<Dim>>(call.params);
  for (const std::vector<View>* views : {&call.inputs, &call.outputs})
    for (const View& view : *views)
      if (has_place(view) && !is_gpu_float(view.dtype))
        return fmt::format("a normalisation with {}", name(view.dtype));
  if ((p.rows * p.n).value() < 1) return "a normalisation of nothing";
  return epilogue_refusal(call);
}

void specialise_norm(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const auto& p = std::get<NormParamsT<Dim>>(call.params);
  const bool has_vectors = p.n.value() % 4 == 0;
  const int width = has_vectors ? 4 : 1;
  const Shares s = shares_of(p.n.value() / width, p.rows.value(), width, caps);
  LaunchBuilder b(list, "opencl/norm.cl");
  b.read("X", call.inputs[0], access_if(has_vectors));
  b.stride("X_ROW", p.x_row, p.rows);
  b.inner("X", p.n);
  b.read("G", call.inputs[1], access_if(has_vectors));
  b.inner("G", p.n);
  b.define("HAS_BIAS", has_place(call.inputs[2]) ? 1 : 0);
  if (has_place(call.inputs[2])) {
    b.read("B", call.inputs[2], access_if(has_vectors));
    b.inner("B", p.n);
  }
  b.write("Y", call.outputs[0], access_if(has_vectors));
  b.stride("Y_ROW", p.y_row, p.rows);
  b.inner("Y", p.n);
  const bool is_rms = call.op == "rms";
  const auto statistic = [&](const char* operand, const char* flag, size_t output) {
    const bool is_wanted = output < call.outputs.size() && call.outputs[output].buffer >= 0;
    if (is_wanted) b.write(operand, call.outputs[output], Access::elements);
    b.define(flag, is_wanted ? 1 : 0);
  };
  statistic("U", "HAS_MEAN", is_rms ? call.outputs.size() : 1);
  statistic("D", "HAS_DEVIATION", is_rms ? 1 : 2);
  b.define("IS_RMS", is_rms ? 1 : 0);
  b.define("ROWS", p.rows);
  b.define("N", p.n);
  b.define("WIDTH", width);
  b.define("SHARES", s.shares);
  b.define("LOCAL_ROWS", s.lines);
  b.define("HELD", s.held);
  b.define_float("EPSILON", p.epsilon);
  b.epilogue(call, p.n, p.rows);
  b.size({s.shares, p.rows.value(), 1}, {s.shares, s.lines, 1});
  b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_line_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"softmax", "softmax and its logarithm along any axis", Family::softmax,
                  "opencl/softmax.cl", refuses_softmax, 0.1, nullptr, specialise_softmax, true});
  rows.push_back({"norm", "layer and RMS normalisation of dense rows", Family::norm,
                  "opencl/norm.cl", refuses_norm, 0.1, nullptr, specialise_norm, true});
}

}  // namespace macec
