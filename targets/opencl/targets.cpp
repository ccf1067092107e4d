// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What OpenCL devices can do, and the targets that have one beside a CPU.
#include "targets/opencl/opencl.h"

#include <algorithm>

#include "compiler/support/error.h"
#include "targets/opencl/gpu_row.h"

namespace macec {
namespace {

// Any device: buffers, small groups.
GpuCapabilities generic() {
  GpuCapabilities caps{};
  caps.prefers_images = false;
  caps.max_image_width = caps.max_image_height = 8192;
  caps.max_work_group = 256;
  caps.local_bytes = 16 << 10;
  caps.has_local_memory = true;
  caps.work_items = 32768;
  caps.launch_us = 6;
  caps.map_us = 20;
  caps.gflops = 400;
  caps.gbytes_per_second = 25;
  caps.copy_gbytes_per_second = 8;
  caps.mixed_us = 100;
  return caps;
}

// Qualcomm Adreno: textures have a cache of their own in front of L2.
GpuCapabilities adreno() {
  GpuCapabilities caps = generic();
  caps.prefers_images = true;
  caps.max_image_width = caps.max_image_height = 16384;
  caps.work_items = 16384;
  return caps;
}

// The same kernels where they are tested: with the smallest limit for images that OpenCL 1.2 lets a device have. PoCL's
// follows from the memory that its machine has at the moment.
GpuCapabilities adreno_for_tests() {
  GpuCapabilities caps = adreno();
  caps.max_image_width = caps.max_image_height = 8192;
  return caps;
}

// ARM Mali: buffers; all memory is shared with the CPU, and local memory is a part of it.
GpuCapabilities mali() {
  GpuCapabilities caps = generic();
  caps.has_local_memory = false;
  caps.work_items = 8192;
  caps.gflops = 250;
  return caps;
}

struct GpuTargetRow {
  const char *name, *doc, *cpu;
  GpuCapabilities (*gpu)();
};
constexpr GpuTargetRow kGpuTargets[] = {
    {"x86-64-opencl", "64-bit x86 and any OpenCL device, buffers", "x86-64-sse2-avx2", generic},
    {"armv8-adreno", "64-bit ARM and Adreno, images", "armv8", adreno},
    {"armv8-mali", "64-bit ARM and Mali, buffers", "armv8", mali},
    {"armv7-adreno", "32-bit ARM and Adreno, images", "armv7", adreno},
    {"x86-64-adreno", "the kernels of Adreno beside an x86 processor, for tests",
     "x86-64-sse2-avx2", adreno_for_tests},
    {"x86-64-mali", "the kernels of Mali beside an x86 processor, for tests", "x86-64-sse2-avx2",
     mali},
};

}  // namespace

std::vector<Target> opencl_targets(const std::vector<Target>& cpu) {
  std::vector<Target> targets;
  for (const GpuTargetRow& row : kGpuTargets) {
    const auto half =
        std::find_if(cpu.begin(), cpu.end(), [&](const Target& t) { return t.name == row.cpu; });
    MACEC_CHECK(half != cpu.end(), "no target {} for {}", row.cpu, row.name);
    Target target = *half;
    target.name = row.name;
    target.doc = row.doc;
    target.cpu_target = row.cpu;
    GpuCapabilities caps = row.gpu();
    caps.weight_panel = target.levels[0].capabilities.panel;
    target.gpu = std::make_shared<const GpuCapabilities>(caps);
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace macec
