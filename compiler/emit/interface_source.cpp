// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what stands behind the steps in a generated source: the tables of each model and its C
// interface. prelude.cpp has what stands before them.
//
// Code that does not depend on the model is pasted from runtime_stub/, once per file; a model adds
// tables and a few lines. Everything but <name>_model() is in the unnamed namespace, a model's own
// part in namespace <name>.
#include <fmt/format.h>

#include <set>

#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/emit/names.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

struct SourceWriter {
  const GeneratedPair& pair;
  const ModelInterface& model;
  const std::string& name = model.name;
  std::string text{};
  std::set<size_t> used{};  // dims of the function that is being written

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // --- tables --------------------------------------------------------------------------------

  void write_dims() {
    if (model.dims.empty()) return;
    line("constexpr macec_dim kDims[] = {{");
    for (const InterfaceDim& dim : model.dims)
      line("    {{{}, {}, {}}},", c_string(dim.name), dim.lo, dim.hi);
    line("}};");
    line("constexpr DimRule kDimRules[] = {{");
    for (const InterfaceDim& dim : model.dims) {
      const std::string steps = dim.step > 1 ? fmt::format(" in steps of {}", dim.step) : "";
      line("    {{{}, {}}},", dim.step,
           c_string(
               fmt::format("dimension '{}' must be {} to {}{}", dim.name, dim.lo, dim.hi, steps)));
    }
    line("}};");
  }

  static std::string shape_entry(const Extent& extent) {
    switch (extent.kind) {
      case Extent::fixed:
        return std::to_string(extent.value);
      case Extent::dimension:
        return "~" + std::to_string(extent.value);
      default:
        return "INT32_MIN";
    }
  }

  // Quantization of a tensor as three initializers: scale, zero point, count.
  std::string write_quantization(const InterfaceTensor& tensor, const char* kind, size_t index) {
    if (tensor.scale.empty()) return "nullptr, nullptr, 0";
    std::string scales, zeros;
    for (size_t i = 0; i < tensor.scale.size(); ++i) {
      scales += fmt::format("{}{:a}f", i ? ", " : "", tensor.scale[i]);
      zeros += fmt::format("{}{}", i ? ", " : "",
                           i < tensor.zero_point.size() ? tensor.zero_point[i] : 0);
    }
    line("constexpr float k{}Scale{}[] = {{{}}};", kind, index, scales);
    line("constexpr int32_t k{}Zero{}[] = {{{}}};", kind, index, zeros);
    return fmt::format("k{0}Scale{1}, k{0}Zero{1}, {2}", kind, index, tensor.scale.size());
  }

  void write_tensors(const std::vector<InterfaceTensor>& tensors, const char* kind,
                     const char* word) {
    if (tensors.empty()) return;
    std::string rows, rules;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const InterfaceTensor& tensor = tensors[i];
      const ElementType type = element_type(tensor.dtype);
      std::string extents;
      for (const Extent& extent : tensor.shape)
        extents += (extents.empty() ? "" : ", ") + shape_entry(extent);
      const std::string shape =
          tensor.shape.empty() ? "nullptr" : fmt::format("k{}Shape{}", kind, i);
      if (!tensor.shape.empty()) line("constexpr int32_t {}[] = {{{}}};", shape, extents);
      const std::string quantization = write_quantization(tensor, kind, i);
      rows += fmt::format("    {{{}, {}, {}, {}, {}, {}, {}, {}}},  // {}\n", c_string(tensor.name),
                          shape, tensor.dtype, tensor.shape.size(),
                          tensor.may_be_null ? "MACEC_OPTIONAL" : "0", tensor.max_bytes,
                          quantization, tensor.axis, type_text(model, tensor.dtype, tensor.shape));
      rules += fmt::format(
          "    {{{}, {}, {}, {}, {}, {}}},\n", type.bits, type.alignment, tensor.may_be_null,
          c_string(fmt::format("{} '{}' is NULL", word, tensor.name)),
          c_string(fmt::format("bytes of {} '{}'", word, tensor.name)),
          c_string(fmt::format("address of {} '{}' modulo {}", word, tensor.name, type.alignment)));
    }
    text += fmt::format(
        "constexpr macec_tensor k{0}s[] = {{\n{1}}};\nconstexpr TensorRule k{0}Rules[] = "
        "{{\n{2}}};\n",
        kind, rows, rules);
  }

  void write_states() {
    if (model.states.empty()) return;
    line("constexpr StateRule kStates[] = {{");
    for (size_t i = 0; i < model.states.size(); ++i) {
      const InterfaceState& state = model.states[i];
      line("    {{{}, {}, {}}},  // {}", state_offset(model, i), state.max_bytes,
           c_string(fmt::format("bytes of state '{}' that the last run left", state.name)),
           type_text(model, state.dtype, state.in_shape));
    }
    line("}};");
  }

  void write_levels() {
    for (size_t i = 0; i < model.levels.size(); ++i) {
      const InterfaceLevel& level = model.levels[i];
      MACEC_CHECK(level.run.size() == model.levels[0].run.size(),
                  "levels differ in their number of plans");
      std::string functions;
      for (const std::string& run : level.run)
        functions += (functions.empty() ? "::" : ", ::") + run;
      line("constexpr macec_status (*kRun{}[])(Context&) = {{{}}};", i, functions);
      line("bool supports_{}() {{ return {}; }}  // {}", i, features_code(level.features),
           comment_text(level.name));
    }
    line("constexpr Level kLevels[] = {{");
    for (size_t i = 0; i < model.levels.size(); ++i) {
      line("    {{{}, supports_{}, kRun{}}},", c_string(model.levels[i].name), i, i);
    }
    line("}};");
  }

  // --- compute: extents that are expressions, run-time checks, sizes of states ---------------

  bool is_expression(const Extent& extent) const {
    return extent.kind == Extent::computed || extent.kind == Extent::later;
  }

  // Dims stand as locals dim_<identifier> in a function, so that no name of a model hides one of
  // ours. used_dims declares those that were asked for since it was called last.
  std::string local_code(const std::string& code) {
    return rename_identifiers(code, [this](const std::string& word) {
      for (size_t i = 0; i < model.dims.size(); ++i) {
        if (word != model.dims[i].identifier) continue;
        used.insert(i);
        return "dim_" + word;
      }
      return word;
    });
  }

  std::string used_dims() {
    std::string declarations;
    for (size_t i : used)
      declarations +=
          fmt::format("  const int64_t dim_{} = c.dim[{}];\n", model.dims[i].identifier, i);
    used.clear();
    return declarations;
  }

  std::string extent_lines(const std::vector<InterfaceTensor>& tensors, const char* array) {
    std::string lines;
    size_t at = 0;
    for (const InterfaceTensor& tensor : tensors) {
      for (const Extent& extent : tensor.shape) {
        if (is_expression(extent)) {
          lines += fmt::format("  c.{}[{}] = {};  // {}\n", array, at, local_code(extent.code),
                               comment_text(tensor.name));
        }
        ++at;
      }
    }
    return lines;
  }

  std::string state_lines() {
    std::string lines;
    for (size_t i = 0; i < model.states.size(); ++i) {
      const InterfaceState& state = model.states[i];
      const int bits = element_type(state.dtype).bits;
      lines += fmt::format("  c.state_need[{}] = ({} * {} + 7) / 8;\n", 2 * i,
                           local_code(element_count_code(model, state.in_shape)), bits);
      lines += fmt::format("  c.state_need[{}] = ({} * {} + 7) / 8;\n", 2 * i + 1,
                           local_code(element_count_code(model, state.out_shape)), bits);
    }
    return lines;
  }

  std::string check_lines() {
    std::string lines;
    for (const InterfaceCheck& check : model.checks) {
      const std::string what =
          fmt::format("{} and {} must agree", check.left_text, check.right_text);
      lines +=
          fmt::format("  if (({0}) != ({1})) return fail(c, MACEC_E_SHAPE, {2}, -1, {0}, {1});\n",
                      local_code(check.left_code), local_code(check.right_code), c_string(what));
    }
    return lines;
  }

  // The name of the function, or "nullptr" if there is nothing to do.
  std::string write_compute() {
    const std::string body = extent_lines(model.inputs, "in_shape") +
                             extent_lines(model.outputs, "shape") + state_lines() + check_lines();
    if (body.empty()) return "nullptr";
    line("macec_status compute_extents(Context& c) {{");
    text += used_dims() + body;
    line("  return MACEC_OK;");
    line("}}");
    return "compute_extents";
  }

  // The function that fills output extents after a run, or "nullptr".
  std::string write_settle() {
    std::string body;
    size_t at = 0;
    for (const InterfaceTensor& tensor : model.outputs) {
      for (const Extent& extent : tensor.shape) {
        if (extent.kind == Extent::later) {
          const std::string code =
              rename_identifiers(local_code(extent.final_code), [](const std::string& word) {
                return starts_with(word, "value_") ? fmt::format("c.dim[{}]", word.substr(6))
                                                   : word;
              });
          body += fmt::format("  c.shape[{}] = {};  // {}\n", at, code, comment_text(tensor.name));
        }
        ++at;
      }
    }
    if (body.empty()) return "nullptr";
    line("void settle_extents(Context& c) {{");
    text += used_dims() + body;
    line("}}");
    return "settle_extents";
  }

  // --- the model -----------------------------------------------------------------------------

  bool has_embedded_weights() const {
    return model.weights_mode != WeightsMode::none && model.weights_mode != WeightsMode::file;
  }

  static std::string table(bool exists, const char* name) { return exists ? name : "nullptr"; }

  void write_model_head() {
    std::string sha;
    for (uint8_t byte : model.onnx_sha256)
      sha += fmt::format("{}0x{:02x}", sha.empty() ? "" : ", ", byte);
    line("    {{1, 0x{:08x}u, 0x{:016x}u,", model.build, model.weights_layout);
    line("     {}, {}, {}, {},", c_string(name), c_string(model.compiler), c_string(model.target),
         c_string(model.options));
    line("     {{{}}},", sha);
    line("     {}, {}, {},  // bytes of memory, fast memory, states", memory_bytes(model),
         rounded_fast(model), state_bytes(model));
    line("     {}, {}, {}, {},  // workers, dims, inputs, outputs", model.max_threads,
         model.dims.size(), model.inputs.size(), model.outputs.size());
    line("     {}, {}, {},", table(!model.dims.empty(), "kDims"),
         table(!model.inputs.empty(), "kInputs"), table(!model.outputs.empty(), "kOutputs"));
    line(
        "     open_this, run_model, shape_of, {}, reset_context, use_weights, "
        "close_context,",
        model.has_input_memory ? "gpu_input_memory" : "no_input_memory");
    line("     bind_this, unbind_weights, {}}},", model.gpu ? "gpu_layer" : "no_layer");
  }

  // The last members of kModel, in a source where some model has a GPU plan.
  std::string gpu_members() const {
    if (!pair.has_gpu()) return "";
    if (!model.gpu) return ", nullptr, 0";
    const InterfaceGpu& gpu = *model.gpu;
    return fmt::format(", &kGpu, gpu_size({}, {}, {}, {})", gpu.launches, gpu.shared, gpu.images,
                       gpu.weight_images);
  }

  void write_model(const std::string& compute, const std::string& settle) {
    int64_t in_extents = 0, out_extents = 0;
    for (const InterfaceTensor& tensor : model.inputs)
      in_extents += static_cast<int64_t>(tensor.shape.size());
    for (const InterfaceTensor& tensor : model.outputs)
      out_extents += static_cast<int64_t>(tensor.shape.size());
    line(
        "macec_status open_this(macec_ctx** c, void* memory, size_t bytes, const macec_options* "
        "options);");
    line(
        "macec_status bind_this(macec_weights* w, const void* blob, size_t bytes, int verify, "
        "const macec_options* options);");
    if (has_embedded_weights())
      line("const unsigned char* embedded_weights();  // at the end of this file");
    line("constexpr Model kModel = {{");
    write_model_head();
    line("    {}, {}, {},  // bytes of context, arena, one copy of the states",
         context_bytes(model), rounded_arena(model), copy_bytes(model));
    line("    {}, {}, {}, {},  // plans, levels, states, run-time values",
         model.levels[0].run.size(), model.levels.size(), model.states.size(), model.value_count);
    line("    {}, {},  // extents of the inputs, outputs", in_extents, out_extents);
    line("    kLevels, {}, {}, {}, {},", table(!model.dims.empty(), "kDimRules"),
         table(!model.inputs.empty(), "kInputRules"), table(!model.outputs.empty(), "kOutputRules"),
         table(!model.states.empty(), "kStates"));
    line("    {}, {}, {}, {}{}}};",
         model.weights_bytes ? fmt::format("kBlobHead + {}", model.weights_bytes) : "0",
         table(has_embedded_weights(), "embedded_weights"), compute, settle, gpu_members());
    line(
        "static_assert(context_size({}, {}, {}, {}, {}, {}, {}){} <= kModel.context_bytes, \"room "
        "for the context\");",
        model.dims.size(), model.value_count, model.inputs.size(), model.outputs.size(), in_extents,
        out_extents, model.states.size(), model.gpu ? " + kModel.gpu_bytes" : "");
    line("");
    line(
        "macec_status open_this(macec_ctx** c, void* memory, size_t bytes, const macec_options* "
        "options) {{");
    line("  return open_model(kModel, c, memory, bytes, options);");
    line("}}");
    line(
        "macec_status bind_this(macec_weights* w, const void* blob, size_t bytes, int verify, "
        "const macec_options* options) {{");
    line("  return bind_weights(kModel, w, blob, bytes, verify, options);");
    line("}}");
  }

  std::string write() {
    MACEC_CHECK(!model.levels.empty() && !model.levels[0].run.empty(),
                "model '{}' has no code to run", name);
    line("");
    line("#if {}_BUILD != 0x{:08x}u", upper(name), model.build);
    line("#error \"{} is not the header that was generated with this file\"", pair.header_name);
    line("#endif");
    line("namespace {{\nnamespace {} {{\n", name);
    write_dims();
    write_tensors(model.inputs, "Input", "input");
    write_tensors(model.outputs, "Output", "output");
    write_states();
    write_levels();
    const std::string compute = write_compute();
    const std::string settle = write_settle();
    write_model(compute, settle);
    line("\n}}  // namespace {}\n}}  // namespace\n", name);
    line("extern \"C\" const macec_model* {0}_model(void) {{ return &{0}::kModel.head; }}", name);
    return text;
  }
};

}  // namespace

std::string write_interface_source(const GeneratedPair& pair) {
  std::string text = pasted_interface(pair);
  for (const ModelInterface& model : pair.models) text += SourceWriter{pair, model}.write();
  return text;
}

}  // namespace macec
