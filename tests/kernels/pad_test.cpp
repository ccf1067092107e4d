// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad in every mode against plain loops, for every element size, layout and split.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/pad.h"
}  // namespace kernels
using namespace kernels;

namespace {

using Extents = std::vector<int64_t>;

// By steps: one at a time back into the axis.
int64_t source_of(int mode, int64_t i, int64_t n) {
  while (i < 0 || i >= n) {
    if (mode == kPadConstant) return -1;
    if (mode == kPadEdge) i = i < 0 ? 0 : n - 1;
    if (mode == kPadWrap) i += i < 0 ? n : -n;
    if (mode == kPadReflect) i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
  }
  return i;
}

template <class T>
void pads(int mode, const Extents& in, const Extents& begin, const Extents& end,
          const Extents& x_stride, const Extents& y_stride) {
  PadParams p{};
  p.rank = static_cast<int>(in.size());
  p.mode = mode;
  int64_t x_span = 1, y_span = 1, units = 1, elements = 1;
  for (size_t a = 0; a < in.size(); ++a) {
    p.in[a] = in[a], p.begin[a] = begin[a], p.out[a] = in[a] + begin[a] + end[a];
    p.x_stride[a] = x_stride[a], p.y_stride[a] = y_stride[a];
    x_span += (in[a] - 1) * x_stride[a];
    y_span += (p.out[a] - 1) * y_stride[a];
    elements *= p.out[a];
    if (a + 1 < in.size()) units *= p.out[a];
  }
  Guarded<T> x(x_span), y(y_span);
  for (int64_t i = 0; i < x_span; ++i) x[i] = static_cast<T>(i * 7 + 1);
  for (int64_t i = 0; i < y_span; ++i) y[i] = static_cast<T>(77);
  std::vector<T> want(y.data(), y.data() + y_span);
  const T value = static_cast<T>(9);
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, from = 0, to = 0;
    bool is_fill = false;
    for (size_t a = in.size(); a-- > 0; rest /= p.out[a]) {
      const int64_t o = rest % p.out[a], s = source_of(mode, o - begin[a], in[a]);
      is_fill = is_fill || s < 0;
      from += s * x_stride[a], to += o * y_stride[a];
    }
    want[static_cast<size_t>(to)] = is_fill ? value : x[from];
  }
  const T* in_data = x.data();
  const T* fill = mode == kPadConstant ? &value : nullptr;
  for (const int64_t cut : {int64_t{0}, units / 3, units - 1}) {
    for (int64_t i = 0; i < y_span; ++i) y[i] = static_cast<T>(77);
    pad(p, in_data, fill, y.data(), 0, cut, nullptr);
    pad(p, in_data, fill, y.data(), cut, units, nullptr);
    check(memcmp(want.data(), y.data(), want.size() * sizeof(T)) == 0 && y.intact(),
          text("pad mode", mode) + text("rank", p.rank) + text("bytes", sizeof(T)) +
              text("last", in.back()) + text("cut", cut));
  }
}

template <class T>
void pads_of(int mode) {
  for (const int64_t n : {1, 3, 17}) {
    pads<T>(mode, {n}, {0}, {0}, {1}, {1});
    pads<T>(mode, {n}, {2}, {5}, {1}, {1});
    pads<T>(mode, {n}, {40}, {1}, {2}, {3});
    for (const int64_t c : {1, 3, 16, 33}) {
      // Rows of pixels: channels-last to itself, from plain, with gaps; channels padded too.
      const Extents out = {9 * (n + 3) * c, (n + 3) * c, c, 1};
      pads<T>(mode, {2, 5, n, c}, {0, 1, 2, 0}, {0, 3, 1, 0}, {5 * n * c, n * c, c, 1}, out);
      pads<T>(mode, {2, 5, n, c}, {0, 1, 2, 0}, {0, 3, 1, 0}, {5 * n * c, n, 1, 5 * n}, out);
      pads<T>(mode, {5, n, c}, {1, 2, 0}, {3, 1, 0}, {(n + 1) * (c + 2), c + 2, 1},
              {(n + 3) * (c + 1), c + 1, 1});
      pads<T>(mode, {4, n, c}, {0, 0, 2}, {0, 1, 1}, {n * c, c, 1}, {(n + 1) * (c + 3), c + 3, 1});
    }
  }
}

}  // namespace

int main() {
  for (const int mode : {kPadConstant, kPadReflect, kPadEdge, kPadWrap}) {
    pads_of<uint8_t>(mode);
    pads_of<uint16_t>(mode);
    pads_of<float>(mode);
    pads_of<double>(mode);
  }
  PadParams none{};
  const float x = 3;
  float y = 0;
  pad(none, &x, &x, &y, 0, 1, nullptr);
  check(y == 3, "rank 0");
  return report("pad_test");
}
