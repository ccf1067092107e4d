// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target: instruction-set levels and the kernels each has.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/plan.h"

namespace macec {

struct Capabilities {
  int vector_floats;  // floats in one register
  int vector_registers;
  int panel;  // columns of a packed panel; the same for all levels of a target
  bool has_fma;
  int64_t l1_bytes, l2_bytes;
  int integer_depth = 1;  // elements of depth beside each other in packed integer weights
};

// One kernel. From general to special in a level's table; the cheapest accepting row is chosen.
struct KernelRow {
  const char* name;  // "depthwise_f32"
  const char* doc;   // one line
  Family family;
  const char* header;    // "kernels/depthwise.h"
  const char* function;  // "depthwise"
  bool (*accepts)(const KernelCall&, const Capabilities&);
  double (*cycles)(const KernelCall&, const Capabilities&);
  // Template arguments before those that are deduced: "3, 3, 2, 2". May be nullptr.
  std::string (*template_arguments)(const KernelCall&, const Capabilities&);
  // Packing of input i. May be nullptr: plain.
  Packing (*packing)(const KernelCall&, int input, const Capabilities&);
  int64_t (*scratch)(const KernelCall&,
                     const Capabilities&);  // bytes per worker; may be nullptr: none
  bool takes_epilogue;
  bool can_fail = false;  // returns int32_t: 0 done, else an index was out of range
  bool splits_columns = false;  // reads `columns` of the parameters
};

// Work units of the call on that row.
Dim units_of(const KernelCall& call, const KernelRow& row);

struct Level {
  const char* name;                         // "x86-64-v3"
  const char* identifier;                   // namespace in generated code: "level_v3"
  const char* simd_header;                  // "kernels/simd/avx2.h"
  std::vector<std::string> features;        // beyond the base level, LLVM's names: "avx2", "fma"
  std::vector<std::string> system_headers;  // "<immintrin.h>"
  Capabilities capabilities;
};

struct GpuCapabilities;  // targets/opencl/gpu_row.h

struct Target {
  std::string name;  // "x86-64", "armv8"
  std::string doc;
  std::vector<Level> levels;  // base first
  std::string compiler;       // for verify, run and bench: "g++", "aarch64-linux-gnu-g++"
  std::vector<std::string> compiler_flags;
  std::string compiler_package;     // Debian package that has it
  std::vector<std::string> runner;  // "qemu-aarch64", "-L", ...; empty: native
  std::string runner_package;
  std::string assembler;  // dialect of the weights: "x86", "arm", "" for none
  // The OpenCL half; nullptr: none. cpu_target: the name of the target that is the CPU half alone.
  std::shared_ptr<const GpuCapabilities> gpu = nullptr;
  std::string cpu_target = {};
};

// The target for a name such as "x86-64", "x86-64-v3", "armv8", "host", "portable". Throws
// UserError with the nearest names.
Target find_target(std::string_view name);
const std::vector<Target>& all_targets();

// Chooses rows for every level: the cheapest sum of cycles over the levels among combinations with
// equal packings. False if a level has no accepting row.
bool choose_kernels(const Target& target, KernelCall* call);

}  // namespace macec
