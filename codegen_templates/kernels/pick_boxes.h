// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression: of overlapping boxes those with the highest scores.
//
//   boxes [batches, n, 4]   kCenter 0: two corners (y, x, y, x), 1: (x centre, y centre, width, height)
//   scores [batches, classes, n]
//   y [count, 3]            (batch, class, box), batch by batch, class by class, falling scores
//
// A box goes when it shares more than `overlap` (intersection / union, in float) with one that is
// kept already. Equal scores: the lower index first; NaN comes last. Products are rounded to float
// on their own, so that no fused multiply-add decides at the threshold.
// most, overlap, least: one element each, or nullptr (0, 0, no limit). Returns 1 and stops where y
// has no room left. scratch: nms_scratch(n) bytes.
#pragma once
#include "../params/pick.h"
#include "simd/vocabulary.h"

struct NmsBox {
  float x0, y0, x1, y1, area;
};
[[maybe_unused]] constexpr int64_t nms_scratch(int64_t n) {
  return n * (2 * 8 + 5 * 4);
}

MACEC_INLINE float nms_product(float a, float b) {  // rounded once, never fused with a sum
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
}

template <int kCenter>
MACEC_INLINE NmsBox nms_box(const float* b) {
  NmsBox box;
  if (kCenter != 0) {
    box.x0 = b[0] - b[2] / 2, box.x1 = b[0] + b[2] / 2;
    box.y0 = b[1] - b[3] / 2, box.y1 = b[1] + b[3] / 2;
  } else {
    box.x0 = b[1] < b[3] ? b[1] : b[3], box.x1 = b[1] < b[3] ? b[3] : b[1];
    box.y0 = b[0] < b[2] ? b[0] : b[2], box.y1 = b[0] < b[2] ? b[2] : b[0];
  }
  box.area = nms_product(box.x1 - box.x0, box.y1 - box.y0);
  return box;
}

MACEC_INLINE bool nms_overlap(const NmsBox& a, const NmsBox& b, float most) {
  const float x0 = a.x0 > b.x0 ? a.x0 : b.x0, x1 = a.x1 < b.x1 ? a.x1 : b.x1;
  const float y0 = a.y0 > b.y0 ? a.y0 : b.y0, y1 = a.y1 < b.y1 ? a.y1 : b.y1;
  if (!(x1 > x0 && y1 > y0)) return false;
  const float shared = nms_product(x1 - x0, y1 - y0);
  const float both = a.area + b.area - shared;
  if (!(shared > 0 && a.area > 0 && b.area > 0 && both > 0)) return false;
  return shared / both > most;
}

MACEC_INLINE bool nms_before(const float* scores, int64_t a, int64_t b) {
  const float u = scores[a], v = scores[b];
  return u > v || (u == u && v != v);
}

// Sorts the first `count` of `order` by falling scores; equal ones keep their order. Returns which of
// the two buffers has the result.
MACEC_NOINLINE int64_t* nms_sort(const float* scores, int64_t count, int64_t* order,
                                 int64_t* other) {
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t from = 0; from < count; from += 2 * width) {
      const int64_t middle = from + width < count ? from + width : count;
      const int64_t end = from + 2 * width < count ? from + 2 * width : count;
      int64_t a = from, b = middle;
      for (int64_t i = from; i < end; ++i) {
        const bool takes_b = b < end && (a >= middle || nms_before(scores, order[b], order[a]));
        other[i] = takes_b ? order[b++] : order[a++];
      }
    }
    int64_t* const sorted = other;
    other = order;
    order = sorted;
  }
  return order;
}

template <int kCenter>
MACEC_NOINLINE int32_t nms(const PickParams& p, const float* boxes, const float* scores,
                           const int64_t* most, const float* overlap, const float* least,
                           int64_t* y, int64_t* count, int64_t begin, int64_t end, void* scratch) {
  if (begin >= end) return 0;
  int64_t* const buffers = static_cast<int64_t*>(scratch);
  NmsBox* const box = reinterpret_cast<NmsBox*>(buffers + 2 * p.n);
  const int64_t limit = most ? *most : 0;
  const float threshold = overlap ? *overlap : 0.0f;
  *count = 0;
  if (limit <= 0) return 0;
  for (int64_t batch = 0; batch < p.outer; ++batch) {
    for (int64_t i = 0; i < p.n; ++i) box[i] = nms_box<kCenter>(boxes + (batch * p.n + i) * 4);
    for (int64_t c = 0; c < p.m; ++c, scores += p.n) {
      int64_t candidates = 0;
      for (int64_t i = 0; i < p.n; ++i) {
        if (!least || scores[i] > *least) buffers[candidates++] = i;
      }
      const int64_t* const order = nms_sort(scores, candidates, buffers, buffers + p.n);
      const int64_t first = *count;
      for (int64_t i = 0; i < candidates && *count - first < limit; ++i) {
        const NmsBox& next = box[order[i]];
        bool is_kept = true;
        for (int64_t k = first; k < *count && is_kept; ++k)
          is_kept = !nms_overlap(next, box[y[3 * k + 2]], threshold);
        if (!is_kept) continue;
        if (*count >= p.room) return 1;
        int64_t* const row = y + 3 * (*count)++;
        row[0] = batch, row[1] = c, row[2] = order[i];
      }
    }
  }
  return 0;
}
