// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/nest.h"

#include <numeric>

#include "compiler/support/error.h"
#include "targets/opencl/expression.h"

namespace macec {

GpuNest::GpuNest(int rank, const Dim* extents) {
  for (int a = 0; a < rank; ++a) extent.push_back(extents[a].value());
}

void GpuNest::add(const Dim* strides) {
  stride.emplace_back();
  for (size_t a = 0; a < rank(); ++a) stride.back().push_back(strides[a].value());
}

int64_t GpuNest::count() const {
  int64_t count = 1;
  for (int64_t e : extent) count *= e;
  return count;
}

void GpuNest::split_at_rows(size_t o, int64_t image_row) {
  for (size_t a = 0; a < rank(); ++a) {
    const int64_t step = stride[o][a];
    if (step <= 0 || image_row % step != 0) continue;
    const int64_t in_row = image_row / step;
    if (in_row <= 1 || extent[a] <= in_row || extent[a] % in_row != 0) continue;
    const auto at = static_cast<std::ptrdiff_t>(a);
    extent.insert(extent.begin() + at, extent[a] / in_row);
    extent[a + 1] = in_row;
    for (std::vector<int64_t>& s : stride) s.insert(s.begin() + at, s[a] * in_row);
    ++a;
  }
}

std::string refuses_nest(const KernelCall& call) {
  constexpr int64_t kMost = int64_t{1} << 30;
  for (const std::vector<View>* views : {&call.inputs, &call.outputs}) {
    for (const View& view : *views) {
      if (view.buffer < 0 && !view.constant) continue;
      int64_t count = 1, last = view.offset.value();
      for (size_t a = 0; a < view.shape.size(); ++a) {
        const int64_t extent = view.shape[a].value(), step = view.strides[a].value();
        count *= extent;
        last += (extent - 1) * (step < 0 ? -step : step);
      }
      if (count == 0) return "a tensor without elements";
      if (count > kMost || last > kMost) return "a tensor of more than 2^30 elements";
    }
  }
  return "";
}

DType moved_type(DType type) {
  if (type == DType::float32) return type;
  switch (info(type).bits) {
    case 8:
      return DType::uint8;
    case 16:
      return DType::uint16;
    case 32:
      return DType::uint32;
    default:
      break;
  }
  MACEC_CHECK(info(type).bits == 64, "elements of {} do not move", name(type));
  return DType::uint64;
}

std::string literal_of(const Tensor& tensor, DType type) {
  if (type == DType::float16 || type == DType::float32) return opencl_float(tensor.f64(0));
  Tensor bits(type, {});
  bits.bytes.assign(tensor.bytes.begin(), tensor.bytes.begin() + info(type).bits / 8);
  return opencl_integer(bits);
}

double touched_bytes(const std::vector<View>& views) {
  double bytes = 0;
  for (const View& view : views) {
    if (view.buffer < 0 && !view.constant) continue;
    double count = info(view.dtype).bits / 8.0;
    for (size_t a = 0; a < view.shape.size(); ++a)
      if (view.strides[a] != Dim(0)) count *= static_cast<double>(view.shape[a].value());
    bytes += count;
  }
  return bytes;
}

void add_term(std::string* sum, const std::string& index, int64_t stride) {
  if (stride == 0) return;
  if (!sum->empty()) *sum += " + ";
  *sum += stride == 1 ? index : fmt::format("{} * {}", index, stride);
}

void define_nest(LaunchBuilder& b, const GpuNest& nest, const std::vector<std::string>& names,
                 const std::vector<int64_t>& steps) {
  MACEC_CHECK(names.size() == nest.stride.size(), "{} names for {} operands", names.size(),
              nest.stride.size());
  std::vector<int64_t> rounds;
  for (size_t a = 0; a < nest.rank(); ++a) rounds.push_back(nest.extent[a] / steps[a]);
  const int64_t count = std::accumulate(rounds.begin(), rounds.end(), int64_t{1},
                                        [](int64_t x, int64_t y) { return x * y; });
  std::string indices;
  int64_t inside = 1;
  for (size_t a = nest.rank(); a-- > 0;) {
    if (rounds[a] == 1) continue;
    std::string index = "at";
    if (inside > 1) index += fmt::format(" / {}", inside);
    inside *= rounds[a];
    if (inside < count) index += fmt::format(" % {}", rounds[a]);
    indices = fmt::format(" i{} = {}{}", a, index, indices.empty() ? ";" : "," + indices);
  }
  b.define("COUNT", count);
  b.define_text("INDICES", indices.empty() ? "" : "const int" + indices);
  for (size_t o = 0; o < names.size(); ++o) {
    if (names[o].empty()) continue;
    std::string row, at;
    for (size_t a = 0; a < nest.rank(); ++a) {
      const auto stride = b.stride_of(names[o], nest.stride[o][a] * steps[a], rounds[a]);
      add_term(&row, fmt::format("i{}", a), stride.rows);
      add_term(&at, fmt::format("i{}", a), stride.elements);
    }
    b.define_text(names[o] + "_ROW", row.empty() ? "0" : "(" + row + ")");
    b.define_text(names[o] + "_AT", at.empty() ? "0" : "(" + at + ")");
  }
  b.size({count, 1, 1}, {kNestGroup, 1, 1});
}

void define_nest(LaunchBuilder& b, const GpuNest& nest, const std::vector<std::string>& names,
                 int64_t width) {
  std::vector<int64_t> steps(nest.rank(), 1);
  if (!steps.empty()) steps.back() = width;
  define_nest(b, nest, names, steps);
}

}  // namespace macec
