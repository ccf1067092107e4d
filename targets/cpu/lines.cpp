// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the families line and pick.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool is_real(DType dtype) {
  return is_vector_float(dtype) || dtype == DType::float64;
}
bool is_number(DType dtype) {
  return is_real(dtype) || (info(dtype).is_integer && info(dtype).bits >= 8);
}

bool accepts_arg(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 3) == "Arg" && is_number(call.inputs[0].dtype);
}
// "ArgMin", "ArgMaxLast": the two template arguments of line_arg.
std::string arg_order(const KernelCall& call, const Capabilities&) {
  return fmt::format("{}, {}", call.op.substr(0, 6) == "ArgMin" ? 1 : 0,
                     call.op.size() > 6 ? 1 : 0);
}
bool accepts_hardmax(const KernelCall& call, const Capabilities&) {
  return call.op == "Hardmax" && is_real(call.inputs[0].dtype);
}
bool accepts_topk(const KernelCall& call, const Capabilities&) {
  return (call.op == "TopK" || call.op == "TopKLeast") && is_number(call.inputs[0].dtype);
}
std::string topk_order(const KernelCall& call, const Capabilities&) {
  return call.op == "TopKLeast" ? "1" : "0";
}
int64_t topk_scratch(const KernelCall& call, const Capabilities&) {
  return std::get<LineParamsT<Dim>>(call.params).m.hi() * 8;
}
bool accepts_sum(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 6) == "CumSum" && is_number(call.inputs[0].dtype);
}
bool accepts_product(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 6) == "CumMul" && is_number(call.inputs[0].dtype);
}
// "CumSum" or "CumMul", then 1 or 0 for exclusive and for reverse.
std::string sum_order(const KernelCall& call, const Capabilities&) {
  return fmt::format("{}, {}", call.op[6], call.op[7]);
}
bool accepts_det(const KernelCall& call, const Capabilities&) {
  return call.op == "Det" && is_real(call.inputs[0].dtype);
}
int64_t det_scratch(const KernelCall& call, const Capabilities&) {
  const int64_t n = std::get<LineParamsT<Dim>>(call.params).n.hi();
  return n * n * 8;
}
bool accepts_unit(const KernelCall& call, const Capabilities&) {
  return (call.op == "Unit1" || call.op == "Unit2") && is_real(call.inputs[0].dtype);
}
std::string unit_power(const KernelCall& call, const Capabilities&) {
  return call.op.substr(4);
}
bool accepts_reverse(const KernelCall& call, const Capabilities&) {
  return call.op == "Reverse" && info(call.inputs[0].dtype).bits >= 8;
}
bool accepts_lrn(const KernelCall& call, const Capabilities&) {
  return call.op == "LRN" && is_real(call.inputs[0].dtype);
}
bool accepts_nonzero(const KernelCall& call, const Capabilities&) {
  return call.op == "nonzero";
}
bool accepts_compress(const KernelCall& call, const Capabilities&) {
  return call.op == "compress" && info(call.inputs[0].dtype).bits >= 8;
}
bool accepts_unique(const KernelCall& call, const Capabilities&) {
  return call.op == "unique" || call.op == "unique_first";
}
std::string unique_order(const KernelCall& call, const Capabilities&) {
  return call.op == "unique" ? "1" : "0";
}
int64_t unique_scratch(const KernelCall& call, const Capabilities&) {
  return std::get<PickParamsT<Dim>>(call.params).n.hi() * 24;
}
bool accepts_nms(const KernelCall& call, const Capabilities&) {
  return call.op == "nms" || call.op == "nms_center";
}
std::string nms_form(const KernelCall& call, const Capabilities&) {
  return call.op == "nms" ? "0" : "1";
}
int64_t nms_bytes(const KernelCall& call, const Capabilities&) {
  return std::get<PickParamsT<Dim>>(call.params).n.hi() * 36;  // nms_scratch
}
double line_cycles(const KernelCall& call, const Capabilities&) {
  return call.elements * 4;
}

}  // namespace

void append_line_rows(std::vector<KernelRow>& rows) {
  const char* header = "kernels/line.h";
  rows.push_back({"line_arg", "index of the greatest or least element along an axis", Family::line,
                  header, "line_arg", accepts_arg, line_cycles, arg_order, nullptr, nullptr,
                  false});
  rows.push_back({"line_hardmax", "1 at the greatest element along an axis", Family::line, header,
                  "line_hardmax", accepts_hardmax, line_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"line_sum", "running sums along an axis", Family::line, header, "line_sum",
                  accepts_sum, line_cycles, sum_order, nullptr, nullptr, false});
  rows.push_back({"line_product", "running products along an axis", Family::line, header,
                  "line_product", accepts_product, line_cycles, sum_order, nullptr, nullptr,
                  false});
  rows.push_back({"line_det", "determinants", Family::line, "kernels/line_det.h", "line_det",
                  accepts_det, line_cycles, nullptr, nullptr, det_scratch, false});
  rows.push_back({"line_unit", "lines of one axis divided by their norms", Family::line, header,
                  "line_unit", accepts_unit, line_cycles, unit_power, nullptr, nullptr, false});
  rows.push_back({"line_reverse", "the beginning of each line backwards", Family::line, header,
                  "line_reverse", accepts_reverse, line_cycles, nullptr, nullptr, nullptr, false,
                  true});
  rows.push_back({"line_topk", "the greatest or least elements along an axis, in order",
                  Family::line, "kernels/line_topk.h", "line_topk", accepts_topk, line_cycles,
                  topk_order, nullptr, topk_scratch, false});
  rows.push_back({"line_lrn", "local response normalization", Family::line, "kernels/line_lrn.h",
                  "line_lrn", accepts_lrn, line_cycles, nullptr, nullptr, nullptr, false});
}

void append_pick_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"nonzero", "positions of elements other than 0", Family::pick, "kernels/pick.h",
                  "nonzero", accepts_nonzero, line_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"compress", "slices where a condition holds", Family::pick, "kernels/pick.h",
                  "compress", accepts_compress, line_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"unique", "the different slices along an axis", Family::pick,
                  "kernels/pick_unique.h", "unique", accepts_unique, line_cycles, unique_order,
                  nullptr, unique_scratch, false});
  rows.push_back({"nms", "boxes that share little with better ones", Family::pick,
                  "kernels/pick_boxes.h", "nms", accepts_nms, line_cycles, nms_form, nullptr,
                  nms_bytes, false, true});
}

}  // namespace macec
