// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of everything that moves elements without computing.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool is_whole_bytes(const KernelCall& call) {
  return info(call.outputs[0].dtype).bits >= 8;
}
bool accepts_move(const KernelCall& call, const Capabilities&) {
  return is_whole_bytes(call);
}
bool accepts_gather(const KernelCall& call, const Capabilities&) {
  return call.op.empty() && is_whole_bytes(call);
}
bool accepts_gather_nest(const KernelCall& call, const Capabilities&) {
  return call.op == "nest" && is_whole_bytes(call);
}
bool accepts_scatter(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 8) == "scatter_" && is_whole_bytes(call);
}
std::string scatter_op(const KernelCall& call, const Capabilities&) {
  const std::string op = call.op.substr(8);
  return op == "add" ? "1" : op == "mul" ? "2" : op == "max" ? "3" : op == "min" ? "4" : "0";
}
bool accepts_iota(const KernelCall& call, const Capabilities&) {
  return call.op.empty() && is_whole_bytes(call);
}
bool accepts_extent(const KernelCall& call, const Capabilities&) {
  return call.op == "extent";
}
bool accepts_bits(const KernelCall& call, const Capabilities&) {
  return call.op == "bits" && is_whole_bytes(call);
}
double move_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.elements * 2 / caps.vector_floats;
}

double scatter_cycles(const KernelCall& call, const Capabilities&) {
  return call.elements * 4;
}

}  // namespace

void append_move_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"copy", "strided copy: transpose, slice, concat, expand", Family::copy,
                  "kernels/copy.h", "copy", accepts_move, move_cycles, nullptr, nullptr, nullptr,
                  false});
  rows.push_back({"pad", "elements around a tensor: constant, reflected, repeated, wrapped",
                  Family::pad, "kernels/pad.h", "pad", accepts_move, move_cycles, nullptr, nullptr,
                  nullptr, false});
  rows.push_back({"gather", "slices along one axis by run-time indices", Family::gather,
                  "kernels/gather.h", "gather", accepts_gather, move_cycles, nullptr, nullptr,
                  nullptr, false, true});
  rows.push_back({"gather_nest", "elements picked by tuples of run-time indices", Family::gather,
                  "kernels/gather_nest.h", "gather_nest", accepts_gather_nest, move_cycles, nullptr,
                  nullptr, nullptr, false, true});
  rows.push_back({"scatter_nest", "elements put where tuples of run-time indices say",
                  Family::gather, "kernels/scatter_nest.h", "scatter_nest", accepts_scatter,
                  scatter_cycles, scatter_op, nullptr, nullptr, false, true});
  rows.push_back({"iota", "start + i * delta", Family::iota, "kernels/iota.h", "iota", accepts_iota,
                  move_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"extent", "one extent as a number", Family::iota, "kernels/iota.h", "extent",
                  accepts_extent, move_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"bits", "elements as those of another type of their size", Family::iota,
                  "kernels/bits.h", "bits", accepts_bits, move_cycles, nullptr, nullptr, nullptr,
                  false});
  rows.push_back({"fill", "one value everywhere", Family::fill, "kernels/copy.h", "fill",
                  accepts_move, move_cycles, nullptr, nullptr, nullptr, false});
}

}  // namespace macec
