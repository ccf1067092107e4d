// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel row turns a call into launches: operands with their accessors, constants, sizes.
//
//   LaunchBuilder b(launches, "opencl/softmax.cl");
//   b.read("X", call.inputs[0], Access::vectors);      // X4(r, i) in the template
//   b.stride("X_ROW", p.x_row, p.rows);                // X_ROW_R, X_ROW_I
//   b.define("COUNT", p.n);
//   b.write("Y", call.outputs[0], Access::vectors);
//   b.epilogue(call, 1);
//   b.size({64, rows, 1}, {64, 1, 1});
//   b.done();
//
// An operand is addressed by two numbers: r, a row of an image, and i, elements within it. In
// memory r stays 0 and i counts all elements; so a template written with the _R and _I strides
// serves both forms. The accessors of operand X (element type float or half; the value is float):
//   X4(r, i)        four elements from i on; i is a multiple of 4 if the operand is an image
//   X1(r, i)        one element; memory only
//   Y4(r, i, v)     stores a float4;  Y1(r, i, v) one element
// Integer and bool operands: the same of their own type (bool is uchar); Y4 also takes a float4 or
// int4 of numbers that the type holds.
#pragma once
#include <array>
#include <set>
#include <string>
#include <vector>

#include "targets/opencl/gpu_row.h"

namespace macec {

// What of a buffer becomes of it on the device; plan passes decide.
struct GpuStorage {
  const Plan* plan = nullptr;
  // Row length in elements if the buffer (or weight) is in an image; 0: in memory.
  int64_t image_row(int buffer) const;
  std::vector<int64_t> image_rows;  // per buffer
};

// All launches of one call, and what its row could not do with the storage given.
constexpr int kGpuScratch = -2;  // as GpuArgument::buffer: the step's scratch buffer
class LaunchList {
 public:
  explicit LaunchList(const GpuStorage& storage) : storage_(storage) {}
  const GpuStorage& storage() const { return storage_; }
  std::vector<GpuLaunch> launches;
  // Buffers that must not be images for this call. Not empty: the launches are of no use.
  std::set<int> unsuitable;
  int64_t scratch_bytes = 0;  // of device memory that all launches of the call share

 private:
  const GpuStorage& storage_;
};

enum class Access {
  vectors,   // four at a time, aligned: may be an image
  elements,  // one at a time, or at any place: memory only
};

class LaunchBuilder {
 public:
  LaunchBuilder(LaunchList& list, const char* file);

  // Declares operand `name` (capitals): its arguments and accessors. is_alone: nothing that the
  // launch writes has the same bytes.
  void read(const char* name, const View& view, Access access, bool is_alone = false);
  void write(const char* name, const View& view, Access access);
  // The call's scratch in device memory, as floats: S1, S4 and their stores P1(i, v), P4(i, v);
  // offset in floats.
  void scratch(int64_t floats);
  // Defines <name>_R and <name>_I: what one step along an axis adds. name starts with the name of
  // an operand already declared and '_': "X_H". count: extent of the axis.
  void stride(const std::string& name, const Dim& elements, const Dim& count);
  // The same two numbers for a template that has them in its own text.
  struct Stride {
    int64_t rows, elements;
  };
  Stride stride_of(const std::string& operand, int64_t elements, int64_t count);
  // Elements read or written beyond the strided axes in one row of the operand ("X", channels).
  void inner(const char* operand, const Dim& count);
  void define(const std::string& name, int64_t value);
  void define(const std::string& name, const Dim& value) { define(name, value.value()); }
  void define_float(const std::string& name, float value);
  void define_text(const std::string& name, const std::string& text);
  // Functions and macros that follow the constants, as OpenCL C.
  void text(const std::string& code);
  // EPILOGUE4(v, hi, lo, col) and EPILOGUE1: the call's fused steps on a float4 or a float of the
  // main result at row hi * row_length + lo (rows: see row_column_strides in ops/lowering.h) and
  // column col. Without steps they are v itself.
  // columns: extent of the column axis.
  void epilogue(const KernelCall& call, const Dim& columns, const Dim& row_length);
  // REPORT_PROBLEM(): the run ends with MACEC_E_RANGE, "an index of 'STEP' is out of range", once
  // all launches are done. Any number of work-items may report.
  void problems();
  void local_memory(const char* name, int64_t floats);  // a __local float* argument
  void size(std::array<int64_t, 3> global, std::array<int64_t, 3> local);  // rounds global up
  void cost(double flops, double bytes);
  void done();  // writes the preamble and adds the launch to the list

 private:
  struct Operand {
    std::string name;
    View view;
    Access access;
    int64_t image_row = 0;
    int64_t used = 0;        // image: elements behind the first that strides and inner reach
    bool is_aligned = true;  // every place that X4 reads is a multiple of four elements
    bool is_written = false, is_alone = false;
    std::string c_name() const;  // "x_"
  };
  Operand& find(const std::string& name);
  void declare(const char* name, const View& view, Access access, bool is_written, bool is_alone);
  void write_memory(const Operand& operand);
  void write_image(const Operand& operand);
  void declare_epilogue_operand(const KernelCall& call, size_t i, int64_t columns,
                                int64_t row_length);

  LaunchList& list_;
  GpuLaunch launch_;
  std::vector<Operand> operands_;
  std::string parameters_, accessors_, constants_, functions_;
};

// "EA" for epilogue operand 0, "EB" for 1.
std::string epilogue_operand_name(size_t i);

}  // namespace macec
