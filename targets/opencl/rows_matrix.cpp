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
  if (!call.op.empty()) return fmt::format("no OpenCL kernel for {} products", call.op);
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
  int64_t rows = 4;           // of one item
  int64_t split = 1;          // items that share the depth
  int64_t local_columns = 4;  // items of a group side by side, four columns each
  int64_t local_rows = 1;
};

constexpr int64_t kGroup = 128;       // items of a group
constexpr int64_t kLeastDepth = 8;    // of one item's share
constexpr int64_t kCommonSplit = 16;  // neighbouring items read neighbouring x: one cache line

// Rows save loads, splits make items: the device should be busy before loads are saved. A group has
// about as many rows as columns, for they are what it reads.
GemmShape gemm_shape(const GemmParamsT<Dim>& p, const GpuCapabilities& caps) {
  const int64_t m = p.m.value(), n = p.n.value(), k = p.k.value();
  GemmShape shape;
  while (shape.rows > m) shape.rows /= 2;
  const int64_t columns = (n + 3) / 4;
  const int64_t items =
      columns * ((m + shape.rows - 1) / shape.rows) * p.batch[0].value() * p.batch[1].value();
  const int64_t most = std::min<int64_t>(m == 1 ? 64 : 2 * kCommonSplit, caps.max_work_group / 4);
  const int64_t common = caps.has_local_memory ? kCommonSplit : 1;
  while (shape.split < most && k >= 2 * kLeastDepth * shape.split &&
         (shape.split < common || items * shape.split < 2 * caps.work_items))
    shape.split *= 2;
  while (shape.local_columns > 1 && shape.local_columns / 2 >= columns) shape.local_columns /= 2;
  const int64_t group = std::min<int64_t>(caps.max_work_group, kGroup);
  while (2 * shape.local_rows * shape.local_columns * shape.split <= group &&
         shape.local_rows * shape.rows < m)
    shape.local_rows *= 2;
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
  if (x_is_dense)
    b.inner("X", p.k);
  else
    b.stride("X_K", p.x_k, p.k);
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
    if (form != kWColumns) b.stride("W_K", p.w_k, p.k);
    if (form != kWRows) b.stride("W_N", p.w_n, p.n);
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

void define_extents(LaunchBuilder& b, const GemmParamsT<Dim>& p) {
  b.define("BATCH1", p.batch[1]);
  b.define("M", p.m);
  b.define("N", p.n);
  b.define("K", p.k);
}

void specialise_gemm(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const GemmParamsT<Dim>& p = params_of(call);
  const GemmShape shape = gemm_shape(p, caps);
  LaunchBuilder b(list, "opencl/gemm.cl");
  gemm_operands(b, call, caps);
  define_extents(b, p);
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

// --- tiles in local memory: see opencl/gemm_tile.cl

constexpr int64_t kTileColumns = 64, kTileDepth = 16, kTileItems = 128;

int64_t tiles(const GemmParamsT<Dim>& p, int64_t rows) {
  return (p.m.value() + rows - 1) / rows * ((p.n.value() + kTileColumns - 1) / kTileColumns) *
         p.batch[0].value() * p.batch[1].value();
}
// Rows of a tile; 0: not enough tiles to keep the device busy.
int64_t tile_rows(const GemmParamsT<Dim>& p, const GpuCapabilities& caps) {
  for (int64_t rows : {64, 32})
    if (p.m.value() >= rows && tiles(p, rows) * kTileItems >= caps.work_items) return rows;
  return 0;
}

std::string refuses_tiles(const KernelCall& call, const GpuCapabilities& caps) {
  const std::string refusal = refuses_gemm(call, caps);
  if (!refusal.empty()) return refusal;
  const GemmParamsT<Dim>& p = params_of(call);
  const WForm form = w_form(call);
  if (p.x_k != Dim(1) || p.k.value() % 4 != 0 || p.n.value() % 4 != 0 ||
      (form != kWPanels && form != kWRows))
    return "rows of x or w are no whole vectors";
  if (!caps.has_local_memory) return "local memory is no faster than other memory";
  return tile_rows(p, caps) == 0 ? "too few outputs for tiles" : "";
}

void specialise_tiles(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const GemmParamsT<Dim>& p = params_of(call);
  const int64_t rows = tile_rows(p, caps);
  LaunchBuilder b(list, "opencl/gemm_tile.cl");
  gemm_operands(b, call, caps);
  define_extents(b, p);
  b.define("TILE_M", rows);
  b.define("TILE_N", kTileColumns);
  b.define("TILE_K", kTileDepth);
  b.define("ROWS", rows * kTileColumns / 4 / kTileItems);
  b.epilogue(call, p.n, p.m);
  b.size({(p.n.value() + kTileColumns - 1) / kTileColumns * kTileItems,
          (p.m.value() + rows - 1) / rows, p.batch[0].value() * p.batch[1].value()},
         {kTileItems, 1, 1});
  b.cost(2 * call.multiply_adds, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_matrix_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gemm", "products of matrices, with packed weights or of two operands",
                  Family::gemm, "opencl/gemm.cl", refuses_gemm, 0.3, pack_gemm, specialise_gemm,
                  true});
  rows.push_back({"gemm_tile", "the same in tiles in local memory, for many outputs", Family::gemm,
                  "opencl/gemm_tile.cl", refuses_tiles, 0.4, pack_gemm, specialise_tiles, true});
}

}  // namespace macec
