// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise chains. Four elements for each work-item where the innermost axis of all operands is
// dense or broadcast; else one, with the exact meaning of every element type.
#include "compiler/ops/elementwise.h"
#include "compiler/support/error.h"
#include "targets/opencl/expression.h"
#include "targets/opencl/nest.h"

namespace macec {
namespace {

std::string refuses_pointwise(const KernelCall& call, const GpuCapabilities&) {
  for (const std::vector<View>* views : {&call.inputs, &call.outputs})
    for (const View& view : *views)
      if (!is_opencl_number(view.dtype)) return fmt::format("elements of {}", name(view.dtype));
  for (const PointwiseStep& step : call.epilogue)
    if (!is_opencl_number(step.dtype)) return fmt::format("{} of {}", step.op, name(step.dtype));
  return refuses_nest(call);
}

bool is_vector_chain(const KernelCall& call) {
  std::vector<DType> types;
  for (const View& view : call.inputs) types.push_back(view.dtype);
  return has_vector_form(call.epilogue, types, DType::undefined, call.results);
}

// Whether every operand has its elements side by side along the innermost axis, or one for all.
bool is_vector_nest(const KernelCall& call, const GpuNest& nest) {
  if (nest.inner_extent() % 4 != 0) return false;
  for (size_t o = 0; o < nest.stride.size(); ++o) {
    const bool is_input = o < call.inputs.size();
    if (is_input && is_literal(call.inputs[o])) continue;
    if (nest.inner(o) != 1 && !(is_input && nest.inner(o) == 0)) return false;
  }
  return true;
}

GpuNest pointwise_nest(const KernelCall& call, const GpuStorage& storage) {
  const auto& p = std::get<PointwiseParamsT<Dim>>(call.params);
  GpuNest nest(p.rank, p.extent);
  for (int o = 0; o < p.operands; ++o) nest.add(p.stride[o]);
  for (size_t o = 0; o < nest.stride.size(); ++o) {
    const bool is_input = o < call.inputs.size();
    const View& view = is_input ? call.inputs[o] : call.outputs[o - call.inputs.size()];
    const int64_t row = storage.image_row(view.buffer);
    if (row > 0) nest.split_at_rows(o, row);
  }
  return nest;
}

// The statements of the chain and its stores, as one macro.
std::string body_macro(const KernelCall& call, bool is_vector, const GpuNest& nest,
                       const std::vector<std::string>& names) {
  const size_t inputs = call.inputs.size();
  const auto place = [&](size_t o) { return fmt::format("{0}_ROW, {0}_AT", names[o]); };
  std::vector<ChainLoad> loads(inputs);
  for (size_t i = 0; i < inputs; ++i) {
    if (names[i].empty()) continue;
    const bool four = is_vector && nest.inner(i) == 1;
    loads[i] = {fmt::format("{}{}({})", names[i], four ? 4 : 1, place(i)), four};
  }
  std::string code = chain_code(call, call.inputs, is_vector, loads);
  for (size_t o = 0; o < call.results.size(); ++o) {
    const std::string value =
        stored_value(call.outputs[o].dtype, is_vector, fmt::format("v{}", call.results[o]));
    code += fmt::format("  {}{}({}, {});\n", names[inputs + o], is_vector ? 4 : 1,
                        place(inputs + o), value);
  }
  std::string macro = "#define BODY";
  for (const char c : "\n" + code.substr(0, code.size() - 1)) {
    if (c == '\n') macro += " \\";
    macro += c;
  }
  return macro + "\n";
}

void specialise_pointwise(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  const GpuNest nest = pointwise_nest(call, list.storage());
  const bool is_vector = is_vector_chain(call) && is_vector_nest(call, nest);
  const size_t inputs = call.inputs.size();
  LaunchBuilder b(list, "opencl/pointwise.cl");
  std::vector<std::string> names(nest.stride.size());
  for (size_t o = 0; o < names.size(); ++o) {
    const bool is_input = o < inputs;
    const View& view = is_input ? call.inputs[o] : call.outputs[o - inputs];
    if (is_input && is_literal(view)) continue;
    const auto letter = static_cast<char>('A' + (is_input ? o : o - inputs));
    names[o] = std::string(is_input ? "X" : "Y") + letter;
    const bool is_vectors = is_vector && nest.inner(o) == 1;
    const Access access = is_vectors ? Access::vectors : Access::elements;
    is_input ? b.read(names[o].c_str(), view, access) : b.write(names[o].c_str(), view, access);
    if (is_vectors) b.inner(names[o].c_str(), 4);
  }
  define_nest(b, nest, names, is_vector ? 4 : 1);
  b.define_text("V", is_vector ? "float4" : "float");
  b.define_text("VMASK", is_vector ? "int4" : "int");
  b.text(body_macro(call, is_vector, nest, names));
  b.cost(static_cast<double>(nest.count()) * chain_weight(call.epilogue),
         touched_bytes(call.inputs) + touched_bytes(call.outputs));
  b.done();
}

}  // namespace

void append_gpu_element_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"pointwise", "a chain of steps with broadcasting", Family::pointwise,
                  "opencl/pointwise.cl", refuses_pointwise, 0.3, nullptr, specialise_pointwise,
                  false});
}

}  // namespace macec
