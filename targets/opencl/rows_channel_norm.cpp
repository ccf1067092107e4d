// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of InstanceNormalization and GroupNormalization.
#include <algorithm>

#include "targets/opencl/launch_builder.h"
#include "targets/opencl/row_checks.h"
#include "targets/opencl/shares.h"

namespace macec {
namespace {

const ChannelNormParamsT<Dim>& params_of(const KernelCall& call) {
  return std::get<ChannelNormParamsT<Dim>>(call.params);
}

std::string refuses_channel_norm(const KernelCall& call, const GpuCapabilities&) {
  const ChannelNormParamsT<Dim>& p = params_of(call);
  for (const std::vector<View>* views : {&call.inputs, &call.outputs})
    for (const View& view : *views)
      if (!is_gpu_float(view.dtype))
        return fmt::format("a normalisation with {}", name(view.dtype));
  if ((p.batch * p.positions).value() < 1 || p.groups < 1 || p.channels < 1)
    return "a normalisation of nothing";
  return epilogue_refusal(call);
}

// The numbers of opencl/channel_norm.cl.
enum NormForm { kGroupVectors, kGroupElements, kChannelVectors, kChannelElements };

struct ChannelNormWork {
  NormForm form;
  bool has_vectors, is_along_lines;
  int64_t groups;        // lines of one image
  int64_t across;        // vectors or elements of a line in one position
  int64_t lines, count;  // count: vectors or elements of a line
  Shares shares;
  int64_t chunks, each;  // each: vectors or elements of a chunk
};

constexpr int64_t kLeastChunk = 8;  // vectors or elements of an item in one chunk

ChannelNormWork cut_work(const ChannelNormParamsT<Dim>& p, const GpuCapabilities& caps) {
  ChannelNormWork w{};
  const int64_t all = int64_t{p.groups} * p.channels;
  w.is_along_lines = p.channels == 1;
  w.has_vectors = (w.is_along_lines ? all : p.channels) % 4 == 0;
  w.form = w.is_along_lines ? w.has_vectors ? kChannelVectors : kChannelElements
           : w.has_vectors  ? kGroupVectors
                            : kGroupElements;
  const int width = w.has_vectors ? 4 : 1;
  w.across = w.is_along_lines ? 1 : p.channels / width;
  w.groups = w.is_along_lines ? all / width : p.groups;
  w.lines = w.groups * p.batch.value();
  w.count = w.across * p.positions.value();
  w.shares = shares_of(w.count, w.lines, width, caps, w.is_along_lines ? kNeighbours : 1);
  const int64_t wanted = caps.work_items / (w.lines * w.shares.shares);
  const int64_t most = w.count / (w.shares.shares * kLeastChunk);
  w.chunks = std::max<int64_t>(std::min({wanted, most, int64_t{64}}), 1);
  w.each = (w.count + w.chunks - 1) / w.chunks;
  w.chunks = (w.count + w.each - 1) / w.each;
  return w;
}

// The strides of one operand: images, rows of a picture, positions of a row.
void define_pixels(LaunchBuilder& b, const std::string& operand, const Dim& pixel,
                   const ChannelNormParamsT<Dim>& p, const Dim& width) {
  b.stride(operand + "_N", pixel * p.positions, p.batch);
  b.stride(operand + "_H", pixel * width, floor_div(p.positions, width.value()));
  b.stride(operand + "_W", pixel, width);
  b.inner(operand.c_str(), p.groups * p.channels);
}

// part: 0 alone, 1 the sums of the chunks, 2 their use.
void add_part(const KernelCall& call, const ChannelNormWork& w, int part, LaunchList& list) {
  const ChannelNormParamsT<Dim>& p = params_of(call);
  const Dim width = call.outputs[0].shape.back();
  const Dim all = int64_t{p.groups} * p.channels;
  LaunchBuilder b(list, "opencl/channel_norm.cl");
  b.read("X", call.inputs[0], access_if(w.has_vectors));
  define_pixels(b, "X", p.x_pixel, p, width);
  if (part > 0) b.scratch(w.lines * w.chunks * 2 * (w.form == kChannelVectors ? 4 : 1));
  if (part != 1) {
    b.read("G", call.inputs[1], access_if(w.has_vectors));
    b.inner("G", all);
    b.read("B", call.inputs[2], access_if(w.has_vectors));
    b.inner("B", all);
    b.write("Y", call.outputs[0], access_if(w.has_vectors));
    define_pixels(b, "Y", p.y_pixel, p, width);
    b.epilogue(call, all, width);
  }
  b.define("PART", part);
  b.define("FORM", w.form);
  b.define("ACROSS", w.across);
  b.define("POSITIONS", p.positions);
  b.define("OUT_W", width);
  b.define("GROUPS", w.groups);
  b.define("LINES", w.lines);
  b.define("COUNT", w.count);
  b.define("SHARES", w.shares.shares);
  b.define("LOCAL_LINES", w.shares.lines);
  b.define("CHUNKS", w.chunks);
  b.define("EACH", w.each);
  b.define_float("EPSILON", p.epsilon);
  if (w.is_along_lines)
    b.size({w.lines, w.shares.shares, w.chunks}, {w.shares.lines, w.shares.shares, 1});
  else
    b.size({w.shares.shares, w.lines, w.chunks}, {w.shares.shares, w.shares.lines, 1});
  b.cost(call.elements / (part == 0 ? 1 : 2), bytes_of_operands(call) / (part == 0 ? 1 : 2));
  b.done();
}

void specialise_channel_norm(const KernelCall& call, LaunchList& list,
                             const GpuCapabilities& caps) {
  const ChannelNormWork w = cut_work(params_of(call), caps);
  if (w.chunks == 1) return add_part(call, w, 0, list);
  add_part(call, w, 1, list);
  add_part(call, w, 2, list);
}

}  // namespace

void append_gpu_channel_norm_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"channel_norm", "instance and group normalisation, in one launch or two",
                  Family::channel_norm, "opencl/channel_norm.cl", refuses_channel_norm, 0.1,
                  nullptr, specialise_channel_norm, true});
}

}  // namespace macec
