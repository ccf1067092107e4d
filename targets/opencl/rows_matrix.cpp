// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of gemm.
#include <algorithm>

#include "targets/opencl/launch_builder.h"
#include "targets/opencl/row_checks.h"
#include "targets/opencl/shares.h"

namespace macec {
namespace {

const GemmParamsT<Dim>& params_of(const KernelCall& call) {
  return std::get<GemmParamsT<Dim>>(call.params);
}
bool is_packed(const KernelCall& call) {
  return call.inputs[1].constant && call.constant_uses[1].kind == Packing::panels;
}

std::string refuses_gemm(const KernelCall& call, const GpuCapabilities&) {
  const GemmParamsT<Dim>& p = params_of(call);
  for (const View* view : {&call.inputs[0], &call.inputs[1], &call.outputs[0]})
    if (!is_gpu_float(view->dtype)) return fmt::format("a product of {}", name(view->dtype));
  if (has_place(call.inputs[2]) && !is_gpu_float(call.inputs[2].dtype))
    return fmt::format("a bias of {}", name(call.inputs[2].dtype));
  for (const Dim* extent : {&p.batch[0], &p.batch[1], &p.m, &p.n, &p.k})
    if (extent->value() < 1) return "a product of nothing";
  return epilogue_refusal(call);
}

Packing pack_gemm(const KernelCall& call, int input, const GpuCapabilities& caps) {
  if (input != 1 || !is_packed(call)) return {};
  return {Packing::panels, caps.weight_panel};
}

// How the template reads x and w; the numbers are those of opencl/gemm.cl.
enum XForm { kXDense, kXStrided };
enum WForm { kWPanels, kWRows, kWColumns, kWStrided };

WForm w_form(const KernelCall& call) {
  const GemmParamsT<Dim>& p = params_of(call);
  if (is_packed(call)) return kWPanels;
  if (p.w_n == Dim(1) && p.n.value() >= 4) return kWRows;
  return p.w_k == Dim(1) && p.k.value() >= 4 ? kWColumns : kWStrided;
}

// The work of one item and of one group: see opencl/gemm.cl.
struct GemmShape {
  int64_t rows;               // of one item
  int64_t split;              // items that share the depth
  int64_t local_columns = 8;  // items of a group side by side, four columns each
  int64_t local_rows = 1;
};

// Rows save loads, splits make items: the device should be busy before the loads are saved.
GemmShape gemm_shape(const GemmParamsT<Dim>& p, const GpuCapabilities& caps) {
  const int64_t m = p.m.value(), n = p.n.value(), k = p.k.value();
  const int64_t batches = p.batch[0].value() * p.batch[1].value();
  GemmShape shape{m >= 4 ? 4 : m >= 2 ? 2 : 1, 1};
  const int64_t columns = (n + 3) / 4;
  const int64_t items = columns * ((m + shape.rows - 1) / shape.rows) * batches;
  const int64_t most = m == 1 ? 32 : 16;
  while (shape.split < most && items * shape.split < caps.work_items && k >= 16 * shape.split)
    shape.split *= 2;
  while (shape.local_columns > 1 && shape.local_columns / 2 >= columns) shape.local_columns /= 2;
  const int64_t group = std::min<int64_t>(caps.max_work_group, 128);
  const auto grows = [&] {
    return shape.local_rows * shape.rows < m &&
           shape.local_rows * shape.local_columns * shape.split < group;
  };
  while (grows()) shape.local_rows *= 2;
  return shape;
}

void gemm_operands(LaunchBuilder& b, const KernelCall& call, const GpuCapabilities& caps) {
  const GemmParamsT<Dim>& p = params_of(call);
  const bool has_whole_depth = p.k.value() % 4 == 0, has_whole_columns = p.n.value() % 4 == 0;
  const bool x_is_dense = p.x_k == Dim(1) || p.k == Dim(1);
  b.read("X", call.inputs[0], access_if(x_is_dense && has_whole_depth));
  b.stride("X_B0", p.x_batch[0], p.batch[0]);
  b.stride("X_B1", p.x_batch[1], p.batch[1]);
  b.stride("X_ROW", p.x_row, p.m);
  b.stride("X_K", p.x_k, p.k);
  if (x_is_dense) b.inner("X", p.k);
  b.define("X_FORM", x_is_dense ? kXDense : kXStrided);

  const WForm form = w_form(call);
  b.define("W_FORM", form);
  b.read("W", call.inputs[1],
         access_if(form == kWPanels || (form == kWRows && has_whole_columns) ||
                   (form == kWColumns && has_whole_depth)));
  b.stride("W_B0", p.w_batch[0], p.batch[0]);
  b.stride("W_B1", p.w_batch[1], p.batch[1]);
  if (form == kWPanels) {
    b.define("PANEL", caps.weight_panel);
    b.stride("W_PANEL", p.k * Dim(caps.weight_panel), ceil_div(p.n, caps.weight_panel));
    b.stride("W_K", caps.weight_panel, p.k);
    b.inner("W", caps.weight_panel);
  } else {
    b.stride("W_K", p.w_k, p.k);
    b.stride("W_N", p.w_n, p.n);
    b.inner("W", form == kWRows ? p.n : form == kWColumns ? p.k : Dim(1));
  }
  b.define("HAS_BIAS", has_place(call.inputs[2]) ? 1 : 0);
  if (has_place(call.inputs[2])) {
    b.read("B", call.inputs[2], access_if(has_whole_columns));
    b.inner("B", p.n);
  }
  b.write("Y", call.outputs[0], access_if(has_whole_columns));
  b.stride("Y_B0", p.y_batch[0], p.batch[0]);
  b.stride("Y_B1", p.y_batch[1], p.batch[1]);
  b.stride("Y_ROW", p.y_row, p.m);
  b.inner("Y", p.n);
}

void specialise_gemm(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const GemmParamsT<Dim>& p = params_of(call);
  const GemmShape shape = gemm_shape(p, caps);
  LaunchBuilder b(list, "opencl/gemm.cl");
  gemm_operands(b, call, caps);
  b.define("BATCH1", p.batch[1]);
  b.define("M", p.m);
  b.define("N", p.n);
  b.define("K", p.k);
  b.define("ROWS", shape.rows);
  b.define("SPLIT", shape.split);
  b.define("LOCAL_COLUMNS", shape.local_columns);
  b.define("LOCAL_ROWS", shape.local_rows);
  b.epilogue(call, p.n, p.m);
  const int64_t batches = p.batch[0].value() * p.batch[1].value();
  b.size(
      {(p.n.value() + 3) / 4, (p.m.value() + shape.rows - 1) / shape.rows, batches * shape.split},
      {shape.local_columns, shape.local_rows, shape.split});
  b.cost(2 * call.multiply_adds, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_matrix_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gemm", "products of matrices, with packed weights or of two operands",
                  Family::gemm, "opencl/gemm.cl", refuses_gemm, 0.3, pack_gemm, specialise_gemm,
                  true});
}

}  // namespace macec
