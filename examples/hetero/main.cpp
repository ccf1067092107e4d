// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses a model compiled for a GPU beside a CPU, on whatever this machine has.
//
//   scaled IMAGES LABELS COUNT     IDX files as Fashion-MNIST has them, not gzipped
//
// Exits with 1 if fewer than 92 % of the pictures are recognised.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "scaled.h"

namespace {

constexpr std::size_t kPixels = 28 * 28, kClasses = 10, kImagesHead = 16, kLabelsHead = 8;

std::vector<char> bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<char>((std::istreambuf_iterator<char>(file)), {});
}

void print_log(void*, int severity, const char* text) {
  if (severity > 0) std::printf("log     %s\n", text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::printf("usage: scaled IMAGES LABELS COUNT\n"), 2;
  const std::vector<char> images = bytes_of(argv[1]), labels = bytes_of(argv[2]);
  const std::size_t count = std::strtoul(argv[3], nullptr, 10);
  if (images.size() < kImagesHead + count * kPixels || labels.size() < kLabelsHead + count)
    return std::printf("there are fewer pictures than %zu\n", count), 2;

  // Compiled GPU programs are kept in this folder: the second start does not build them again.
  macec_opencl opencl = macec_opencl_defaults();
  opencl.cache_dir = ".";
  macec_options options = macec_defaults();
  options.next = &opencl;
  options.log = print_log;

  static unsigned char memory[SCALED_MEMORY_BYTES];
  scaled_ctx* model = nullptr;
  if (scaled_open(&model, memory, sizeof memory, &options) != MACEC_OK)
    return std::printf("open failed\n"), 2;

  std::size_t right = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    float image[kPixels], scores[kClasses];
    for (std::size_t p = 0; p < kPixels; ++p) {
      const char pixel = images[kImagesHead + i * kPixels + p];
      image[p] = static_cast<float>(static_cast<std::uint8_t>(pixel)) / 255.0f;
    }
    if (scaled_run(model, image, scores) != MACEC_OK) return std::printf("a run failed\n"), 2;
    const auto guess = std::max_element(scores, scores + kClasses) - scores;
    right += guess == labels[kLabelsHead + i];
  }
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;

  macec_report report;
  macec_get_report(scaled_base(model), &report);
  std::printf("ran on  the %s%s%s\n",
              report.device == MACEC_ON_GPU ? "GPU and the CPU" : "CPU alone",
              report.reason ? ": " : "", report.reason ? report.text : "");
  scaled_close(model);
  const double share = static_cast<double>(right) / static_cast<double>(count);
  std::printf("%zu pictures: %.2f %% right, %.0f microseconds each\n", count, 100 * share,
              all.count() / static_cast<double>(count));
  return share < 0.92 ? 1 : 0;
}
