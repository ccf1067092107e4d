// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/launch_builder.h"

#include <algorithm>

#include "compiler/support/error.h"
#include "targets/opencl/expression.h"

namespace macec {

int64_t GpuStorage::image_row(int buffer) const {
  return buffer >= 0 && static_cast<size_t>(buffer) < image_rows.size()
             ? image_rows[static_cast<size_t>(buffer)]
             : 0;
}

std::string LaunchBuilder::Operand::c_name() const {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower + "_";
}

LaunchBuilder::LaunchBuilder(LaunchList& list, const char* file) : list_(list) {
  launch_.file = file;
}

LaunchBuilder::Operand& LaunchBuilder::find(const std::string& name) {
  const auto at = std::find_if(operands_.begin(), operands_.end(),
                               [&](const Operand& o) { return o.name == name; });
  MACEC_CHECK(at != operands_.end(), "a launch of {} has no operand {}", launch_.file, name);
  return *at;
}

void LaunchBuilder::declare(const char* name, const View& view, Access access, bool is_written,
                            bool is_alone) {
  MACEC_CHECK(view.buffer >= 0, "operand {} of {} has no buffer", name, launch_.file);
  MACEC_CHECK(opencl_type(view.dtype), "no OpenCL type for {}", macec::name(view.dtype));
  Operand operand;
  operand.name = name;
  operand.view = view;
  operand.access = access;
  operand.is_written = is_written;
  operand.is_alone = is_alone;
  operand.image_row = list_.storage().image_row(view.buffer);
  const int64_t offset = view.offset.value();
  operand.is_aligned = access == Access::vectors && offset % 4 == 0;
  if (operand.image_row > 0) {
    if (!operand.is_aligned) list_.unsuitable.insert(view.buffer);
    operand.used = offset % operand.image_row;
  }
  operands_.push_back(std::move(operand));
}

void LaunchBuilder::read(const char* name, const View& view, Access access, bool is_alone) {
  declare(name, view, access, false, is_alone);
}
void LaunchBuilder::write(const char* name, const View& view, Access access) {
  declare(name, view, access, true, false);
}

void LaunchBuilder::scratch(int64_t floats) {
  list_.scratch_bytes = std::max(list_.scratch_bytes, floats * 4);
  parameters_ +=
      (parameters_.empty() ? "" : ", ") + std::string("__global float* s_, const int s_at_");
  accessors_ +=
      "#define S1(i) s_[s_at_ + (i)]\n#define S4(i) vload4(0, s_ + s_at_ + (i))\n"
      "#define P1(i, v) s_[s_at_ + (i)] = (v)\n#define P4(i, v) vstore4(v, 0, s_ + s_at_ + (i))\n";
  launch_.arguments.push_back({GpuArgument::memory, kGpuScratch, 0});
  launch_.arguments.push_back({GpuArgument::offset, kGpuScratch, 0});
}

LaunchBuilder::Stride LaunchBuilder::stride_of(const std::string& name, int64_t elements,
                                               int64_t count) {
  Operand& operand = find(name);
  const int64_t step = count > 1 ? elements : 0;
  if (step % 4 != 0) operand.is_aligned = false;
  if (operand.image_row == 0) return {0, step};
  if (step % operand.image_row == 0) return {step / operand.image_row, 0};
  if (step < 0 || step % 4 != 0)
    list_.unsuitable.insert(operand.view.buffer);
  else
    operand.used += (count - 1) * step;
  return {0, step};
}

void LaunchBuilder::stride(const std::string& name, const Dim& elements, const Dim& count) {
  const Stride stride = stride_of(name.substr(0, name.find('_')), elements.value(), count.value());
  define(name + "_R", stride.rows);
  define(name + "_I", stride.elements);
}

void LaunchBuilder::inner(const char* name, const Dim& count) {
  find(name).used += count.value();
}

void LaunchBuilder::define(const std::string& name, int64_t value) {
  constants_ += value < 0 ? fmt::format("#define {} ({})\n", name, value)
                          : fmt::format("#define {} {}\n", name, value);
}
void LaunchBuilder::define_float(const std::string& name, float value) {
  constants_ += fmt::format("#define {} {:a}f\n", name, value);
}
void LaunchBuilder::define_text(const std::string& name, const std::string& text) {
  constants_ += fmt::format("#define {} {}\n", name, text);
}
void LaunchBuilder::text(const std::string& code) {
  functions_ += code;
}

void LaunchBuilder::problems() {
  parameters_ += (parameters_.empty() ? "" : ", ") +
                 std::string("__global int* problem_, const int problem_number_");
  accessors_ += "#define REPORT_PROBLEM() (*problem_ = problem_number_)\n";
  launch_.arguments.push_back({GpuArgument::problem, -1, 0});
  launch_.arguments.push_back({GpuArgument::problem_number, -1, 0});
}

void LaunchBuilder::local_memory(const char* name, int64_t floats) {
  parameters_ += (parameters_.empty() ? "" : ", ") + fmt::format("__local float* {}", name);
  launch_.arguments.push_back({GpuArgument::local, -1, floats * 4});
}

void LaunchBuilder::size(std::array<int64_t, 3> global, std::array<int64_t, 3> local) {
  for (size_t a = 0; a < 3; ++a) {
    launch_.local[a] = local[a];
    launch_.global[a] = (std::max<int64_t>(global[a], 1) + local[a] - 1) / local[a] * local[a];
  }
}

void LaunchBuilder::cost(double flops, double bytes) {
  launch_.flops += flops;
  launch_.bytes += bytes;
}

// --- accessors

void LaunchBuilder::write_memory(const Operand& o) {
  const std::string c = o.c_name(), at = c + "at_";
  const bool is_half = o.view.dtype == DType::float16;
  parameters_ += fmt::format("{}__global {}{}*{} {}, const int {}", parameters_.empty() ? "" : ", ",
                             o.is_written ? "" : "const ", opencl_type(o.view.dtype),
                             o.is_alone ? " restrict" : "", c, at);
  if (is_half) {
    accessors_ += fmt::format("#define {}1(r, i) vload_half({} + (i), {})\n", o.name, at, c);
    accessors_ +=
        o.is_aligned
            ? fmt::format("#define {}4(r, i) vloada_half4(({} + (i)) >> 2, {})\n", o.name, at, c)
            : fmt::format("#define {}4(r, i) vload_half4(0, {} + {} + (i))\n", o.name, c, at);
    if (o.is_written) {
      accessors_ += fmt::format(
          "#undef {0}1\n#undef {0}4\n#define {0}1(r, i, v) vstore_half_rte(v, {1} + (i), {2})\n"
          "#define {0}4(r, i, v) vstore_half4_rte(v, 0, {2} + {1} + (i))\n",
          o.name, at, c);
    }
  } else {
    const std::string type = opencl_type(o.view.dtype);
    const std::string place = o.is_aligned ? fmt::format("((__global {}{}4*){})[({} + (i)) >> 2]",
                                                         o.is_written ? "" : "const ", type, c, at)
                                           : "";
    if (o.is_written) {
      accessors_ += fmt::format("#define {}1(r, i, v) {}[{} + (i)] = (v)\n", o.name, c, at);
      const std::string value = o.view.dtype == DType::float32 ? "(v)" : "convert_" + type + "4(v)";
      accessors_ += o.is_aligned
                        ? fmt::format("#define {}4(r, i, v) {} = {}\n", o.name, place, value)
                        : fmt::format("#define {}4(r, i, v) vstore4({}, 0, {} + {} + (i))\n",
                                      o.name, value, c, at);
    } else {
      accessors_ += fmt::format("#define {}1(r, i) {}[{} + (i)]\n", o.name, c, at);
      accessors_ +=
          o.is_aligned ? fmt::format("#define {}4(r, i) {}\n", o.name, place)
                       : fmt::format("#define {}4(r, i) vload4(0, {} + {} + (i))\n", o.name, c, at);
    }
  }
  launch_.arguments.push_back({GpuArgument::memory, o.view.buffer, 0});
  launch_.arguments.push_back({GpuArgument::offset, o.view.buffer, o.view.offset.value()});
}

void LaunchBuilder::write_image(const Operand& o) {
  const std::string c = o.c_name(), at = c + "at_", row = c + "row_";
  parameters_ +=
      fmt::format("{}{} image2d_t {}, const int {}, const int {}", parameters_.empty() ? "" : ", ",
                  o.is_written ? "__write_only" : "__read_only", c, at, row);
  const std::string place = fmt::format("(int2)({} + ((i) >> 2), {} + (r))", at, row);
  accessors_ +=
      o.is_written
          ? fmt::format("#define {}4(r, i, v) write_imagef({}, {}, v)\n", o.name, c, place)
          : fmt::format("#define {}4(r, i) read_imagef({}, TEXELS, {})\n", o.name, c, place);
  const int64_t offset = o.view.offset.value();
  launch_.arguments.push_back({GpuArgument::image, o.view.buffer, 0});
  launch_.arguments.push_back({GpuArgument::integer, -1, offset % o.image_row / 4});
  launch_.arguments.push_back({GpuArgument::integer, -1, offset / o.image_row});
}

void LaunchBuilder::done() {
  const std::vector<GpuArgument> others = std::move(launch_.arguments);
  const std::string other_parameters = std::move(parameters_);
  launch_.arguments.clear();
  parameters_.clear();
  for (const Operand& operand : operands_) {
    if (operand.image_row > 0 && operand.used > operand.image_row)
      list_.unsuitable.insert(operand.view.buffer);
    if (operand.image_row > 0)
      write_image(operand);
    else
      write_memory(operand);
  }
  if (!other_parameters.empty())
    parameters_ += (parameters_.empty() ? "" : ", ") + other_parameters;
  launch_.arguments.insert(launch_.arguments.end(), others.begin(), others.end());
  launch_.preamble =
      fmt::format("#define PARAMETERS {}\n", parameters_) + accessors_ + constants_ + functions_;
  list_.launches.push_back(std::move(launch_));
}

// --- epilogue

std::string epilogue_operand_name(size_t i) {
  return std::string("E") + static_cast<char>('A' + i);
}

void LaunchBuilder::declare_epilogue_operand(const KernelCall& call, size_t i, int64_t columns,
                                             int64_t row_length) {
  const View& view = call.epilogue_inputs[i];
  const int64_t row = call.epilogue_row_strides[i].value();
  const int column = call.epilogue_col_strides[i];
  int64_t rows = 1;
  for (const Dim& d : call.outputs[0].shape) rows *= d.value();
  rows /= columns;
  const bool whole =
      column == 1 && columns % 4 == 0 && row % 4 == 0 && view.offset.value() % 4 == 0;
  const std::string name = epilogue_operand_name(i);
  read(name.c_str(), view, whole ? Access::vectors : Access::elements);
  stride(name + "_HI", row * row_length, rows / row_length);
  stride(name + "_LO", row, row_length);
  if (column == 1) inner(name.c_str(), columns);
}

void LaunchBuilder::epilogue(const KernelCall& call, const Dim& columns, const Dim& row_length) {
  if (call.epilogue.empty()) {
    functions_ += "#define EPILOGUE4(v, hi, lo, col) (v)\n#define EPILOGUE1(v, hi, lo, col) (v)\n";
    return;
  }
  std::string passed, declared;
  std::vector<ChainLoad> loads4(call.epilogue_inputs.size()), loads1 = loads4;
  bool has_image = false;
  for (size_t i = 0; i < call.epilogue_inputs.size(); ++i) {
    const View& view = call.epilogue_inputs[i];
    if (is_literal(view)) continue;
    declare_epilogue_operand(call, i, columns.value(), row_length.value());
    const Operand& o = operands_.back();
    const std::string name = o.name, c = o.c_name();
    const bool has_columns = call.epilogue_col_strides[i] != 0;
    const std::string place =
        fmt::format("hi * {0}_HI_R + lo * {0}_LO_R, hi * {0}_HI_I + lo * {0}_LO_I{1}", name,
                    has_columns ? " + col" : "");
    loads1[i] = {fmt::format("{}1({})", name, place), false};
    loads4[i] = has_columns ? ChainLoad{fmt::format("{}4({})", name, place), true} : loads1[i];
    const bool is_image = o.image_row > 0;
    has_image = has_image || is_image;
    const char* type = opencl_type(view.dtype);
    declared +=
        is_image
            ? fmt::format("__read_only image2d_t {0}, const int {0}at_, const int {0}row_, ", c)
            : fmt::format("__global const {1}* {0}, const int {0}at_, ", c, type);
    passed += is_image ? fmt::format("{0}, {0}at_, {0}row_, ", c) : fmt::format("{0}, {0}at_, ", c);
  }
  const std::string last = fmt::format("  return v{};\n", call.epilogue.size() - 1);
  functions_ += fmt::format(
      "#define V float4\n#define VMASK int4\nstatic inline float4 NAME(epilogue4)({0}float4 v, int "
      "hi, int lo, int "
      "col) "
      "{{\n{1}}}\n#undef V\n#undef VMASK\n#define EPILOGUE4(v, hi, lo, col) NAME(epilogue4)({2}v, "
      "hi, lo, col)\n",
      declared, chain_code(call, call.epilogue_inputs, true, loads4) + last, passed);
  if (has_image) return;  // images hold whole vectors only
  functions_ += fmt::format(
      "#define V float\n#define VMASK int\nstatic inline float NAME(epilogue1)({0}float v, int hi, "
      "int lo, int col) "
      "{{\n{1}}}\n#undef V\n#undef VMASK\n#define EPILOGUE1(v, hi, lo, col) NAME(epilogue1)({2}v, "
      "hi, lo, col)\n",
      declared, chain_code(call, call.epilogue_inputs, false, loads1) + last, passed);
}

}  // namespace macec
