// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the header of a generated pair: the stub layers, then a section per model with its sizes
// and typed functions. It must compile as C99, C11 and C++17 under strict warnings, without
// extensions.
//
// Names of tensors stand there as parameters; names.cpp keeps them apart from ours (m, in, out,
// dims, io, ...).
#include <fmt/format.h>

#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/emit/names.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct HeaderWriter {
  const GeneratedPair& pair;
  const ModelInterface& model;
  const std::string& name = model.name;
  const std::string capitals = upper(model.name);
  std::string text{};

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // Expression of the dims, written for the body of a macro with the dims as parameters.
  std::string macro_code(const std::string& code) const {
    return rename_identifiers(code, [](const std::string& word) -> std::string {
      if (word == "macec_floor_div") return "MACEC_FLOOR_DIV";
      if (word == "macec_min") return "MACEC_MIN";
      if (word == "macec_max") return "MACEC_MAX";
      return "(" + word + ")";
    });
  }

  std::string dim_list(std::string_view before) const {
    std::string list;
    for (const InterfaceDim& dim : model.dims) {
      list += fmt::format("{}{}{}", list.empty() ? "" : ", ", before, dim.identifier);
    }
    return list;
  }

  // "frames, height": the dims that the number of elements depends on.
  std::string dims_of(const InterfaceTensor& tensor) const {
    const std::string code = element_count_code(model, tensor.shape);
    std::string list;
    for (const InterfaceDim& dim : model.dims) {
      if (!uses_identifier(code, dim.identifier)) continue;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", dim.identifier);
    }
    return list;
  }

  bool is_used_by_a_buffer(const InterfaceDim& dim) const {
    std::string code;
    for (const InterfaceTensor& tensor : model.inputs) code += dims_of(tensor) + ",";
    for (const InterfaceTensor& tensor : model.outputs) code += dims_of(tensor) + ",";
    return uses_identifier(code, dim.identifier);
  }

  // "KWS_AUDIO_ELEMS" or "KWS_AUDIO_ELEMS(frames)".
  std::string count_name(const InterfaceTensor& tensor, std::string_view unit) const {
    const std::string macro = fmt::format("{}_{}_{}", capitals, upper(tensor.identifier), unit);
    const std::string dims = dims_of(tensor);
    return dims.empty() ? macro : fmt::format("{}({})", macro, dims);
  }
  static bool is_packed(const InterfaceTensor& tensor) {
    return element_type(tensor.dtype).bits < 8;
  }

  void write_sizes() {
    line("#define {}_BUILD 0x{:08x}u", capitals, model.build);
    line(
        "#define {}_MEMORY_BYTES {} /* sufficient at any sizes and up to {}_MAX_THREADS workers; "
        "any alignment */",
        capitals, memory_bytes(model), capitals);
    if (!model.states.empty()) {
      line(
          "#define {}_STATE_BYTES {} /* of these the states; options.state takes them elsewhere */",
          capitals, state_bytes(model));
    }
    line("#define {}_MAX_THREADS {}", capitals, model.max_threads);
    for (const InterfaceDim& dim : model.dims) {
      line("#define {}_{}_MAX {}", capitals, upper(dim.identifier), dim.hi);
    }
    for (const InterfaceTensor& tensor : model.inputs) write_counts(tensor);
    for (const InterfaceTensor& tensor : model.outputs) write_counts(tensor);
    write_enums();
  }

  void write_counts(const InterfaceTensor& tensor) {
    const std::string elements = macro_code(element_count_code(model, tensor.shape));
    const bool is_number = is_fixed_shape(tensor.shape);
    line("#define {} {}", count_name(tensor, "ELEMS"), is_number ? elements : "(" + elements + ")");
    if (is_packed(tensor)) {
      const int per_byte = 8 / element_type(tensor.dtype).bits;
      line("#define {} (({} + {}) / {})", count_name(tensor, "BYTES"), count_name(tensor, "ELEMS"),
           per_byte - 1, per_byte);
    }
  }

  void write_enums() {
    std::string list;
    const auto add = [&](std::string_view kind, const std::string& id, size_t index) {
      list += fmt::format("{}{}_{}_{} = {}", list.empty() ? "" : ", ", capitals, kind, upper(id),
                          index);
    };
    for (size_t i = 0; i < model.inputs.size(); ++i) add("IN", model.inputs[i].identifier, i);
    for (size_t i = 0; i < model.outputs.size(); ++i) add("OUT", model.outputs[i].identifier, i);
    for (size_t i = 0; i < model.dims.size(); ++i) add("DIM", model.dims[i].identifier, i);
    if (!list.empty()) line("enum {{ {} }};", list);
  }

  // --- parameters ----------------------------------------------------------------------------

  std::string array_elements(const InterfaceTensor& tensor) const {
    return count_name(tensor, is_packed(tensor) ? "BYTES" : "ELEMS");
  }
  // Elements of the C type per element of the tensor: complex numbers are pairs.
  static int c_elements(const InterfaceTensor& tensor) {
    const int bits = element_type(tensor.dtype).bits;
    const int c_bits = element_type(tensor.dtype).alignment * 8;
    return bits > c_bits ? bits / c_bits : 1;
  }

  std::string parameter(const InterfaceTensor& tensor, bool is_input) const {
    const char* qualifier = is_input ? "const " : "";
    const char* type = element_type(tensor.dtype).c;
    const bool is_empty = element_count_code(model, tensor.shape) == "0";
    if (!is_fixed_shape(tensor.shape) || is_empty || tensor.may_be_null) {
      return fmt::format("{}{} *{}", qualifier, type, tensor.identifier);
    }
    const int pairs = c_elements(tensor);
    return fmt::format("{}{} {}[MACEC_LEAST({}{})]", qualifier, type, tensor.identifier,
                       array_elements(tensor), pairs > 1 ? fmt::format(" * {}", pairs) : "");
  }

  std::string tensor_parameters() const {
    if (model.has_io_struct()) return fmt::format(", const {}_io *io", name);
    std::string list;
    for (const InterfaceTensor& tensor : model.inputs) list += ", " + parameter(tensor, true);
    for (const InterfaceTensor& tensor : model.outputs) list += ", " + parameter(tensor, false);
    return list;
  }
  std::string tensor_arguments() const {
    if (model.has_io_struct()) return ", io";
    std::string list;
    for (const InterfaceTensor& tensor : model.inputs) list += ", " + tensor.identifier;
    for (const InterfaceTensor& tensor : model.outputs) list += ", " + tensor.identifier;
    return list;
  }

  // --- functions -----------------------------------------------------------------------------

  void write_io_struct() {
    line("typedef struct {0}_io {{ /* start from {0}_io_empty() */", name);
    std::string nulls;
    const auto add = [&](const InterfaceTensor& tensor, bool is_input) {
      line("  {}{} *{}; /* {}{} */", is_input ? "const " : "", element_type(tensor.dtype).c,
           tensor.identifier, type_text(model, tensor.dtype, tensor.shape),
           tensor.may_be_null ? "; NULL: not wanted" : "");
      nulls += nulls.empty() ? "NULL" : ", NULL";
    };
    for (const InterfaceTensor& tensor : model.inputs) add(tensor, true);
    for (const InterfaceTensor& tensor : model.outputs) add(tensor, false);
    line("}} {}_io;", name);
    line("static inline {0}_io {0}_io_empty(void) {{", name);
    line("  {}_io io = {{{}}};", name, nulls);
    line("  return io;");
    line("}}");
  }

  void write_open() {
    const std::string header = pair.header_name;
    const std::string source = header.substr(0, header.rfind('.')) + ".cpp";
    line(
        "/* memory: {0}_MEMORY_BYTES of any alignment, yours until {1}_close; options NULL: "
        "defaults */",
        capitals, name);
    line(
        "static inline macec_status {0}_open({0}_ctx **m, void *memory, size_t bytes, const "
        "macec_options *options) {{",
        name);
    line("  const macec_model *model = {}_model();", name);
    line("  macec_ctx *c = NULL;");
    line("  macec_status s = MACEC_E_BUILD;");
    line("  if (model->build == {}_BUILD) {{", capitals);
    line("    s = model->open(&c, memory, bytes, options);");
    line("  }} else if (options && options->error) {{");
    line("    macec_error e = {{MACEC_E_BUILD, -1, {}, {}, 0, 0}};", c_string(name),
         c_string(header + " and " + source + " come from different runs of macec: build number"));
    line("    e.have = (int64_t)model->build;");
    line("    e.need = (int64_t){}_BUILD;", capitals);
    line("    *options->error = e;");
    line("  }}");
    line("  *m = MACEC_CAST({}_ctx *, c);", name);
    line("  return s;");
    line("}}");
  }

  void write_tensor_comment(const InterfaceTensor& tensor) {
    const bool renamed = tensor.identifier != tensor.name;
    line("   {}: {}{}", tensor.identifier, type_text(model, tensor.dtype, tensor.shape),
         renamed ? ", in the model '" + comment_text(tensor.name) + "'" : "");
  }

  void write_run_comment() {
    line("/* Returns 0, or an error and leaves the outputs unspecified.");
    for (const InterfaceDim& dim : model.dims) {
      line("   {}: {} to {}{}", dim.identifier, dim.lo, dim.hi,
           dim.step > 1 ? fmt::format(" in steps of {}", dim.step) : "");
    }
    if (!model.has_io_struct()) {
      for (const InterfaceTensor& tensor : model.inputs) write_tensor_comment(tensor);
      for (const InterfaceTensor& tensor : model.outputs) write_tensor_comment(tensor);
    }
    for (const InterfaceState& state : model.states) {
      line("   state '{}' {} is carried from call to call", comment_text(state.name),
           type_text(model, state.dtype, state.in_shape));
    }
    text.pop_back();
    line(" */");
  }

  void write_buffers(const std::vector<InterfaceTensor>& tensors, const char* array) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const InterfaceTensor& tensor = tensors[i];
      const int pairs = c_elements(tensor);
      line("  {}[{}].data = {}{};", array, i, model.has_io_struct() ? "io->" : "",
           tensor.identifier);
      line("  {}[{}].bytes = (size_t){} * {}sizeof({});", array, i, array_elements(tensor),
           pairs > 1 ? fmt::format("{} * ", pairs) : "", element_type(tensor.dtype).c);
    }
  }

  void write_run() {
    write_run_comment();
    line("static inline macec_status {0}_run({0}_ctx *m{1}{2}{3}) {{", name,
         model.dims.empty() ? "" : ", ", dim_list("int64_t "), tensor_parameters());
    if (!model.dims.empty()) line("  int64_t dims[{}];", model.dims.size());
    if (!model.inputs.empty()) line("  macec_in in[{}];", model.inputs.size());
    if (!model.outputs.empty()) line("  macec_out out[{}];", model.outputs.size());
    for (size_t i = 0; i < model.dims.size(); ++i) {
      const InterfaceDim& dim = model.dims[i];
      line("  dims[{}] = {};", i, dim.identifier);
      if (is_used_by_a_buffer(dim)) {
        line("  {0} = macec_clamp({0}, {1}, {2}_{3}_MAX); /* run() refuses what this changes */",
             dim.identifier, dim.lo, capitals, upper(dim.identifier));
      }
    }
    write_buffers(model.inputs, "in");
    write_buffers(model.outputs, "out");
    line("  return macec_run({}_base(m), {}, {}, {});", name, model.dims.empty() ? "NULL" : "dims",
         model.inputs.empty() ? "NULL" : "in", model.outputs.empty() ? "NULL" : "out");
    line("}}");
  }

  void write_once() {
    line("/* open, run and close in one call */");
    line("static inline macec_status {}_once(void *memory, size_t bytes{}) {{", name,
         tensor_parameters());
    line("  {}_ctx *m = NULL;", name);
    line("  macec_status s = {}_open(&m, memory, bytes, NULL);", name);
    line("  if (s == MACEC_OK) s = {}_run(m{});", name, tensor_arguments());
    line("  if (m) macec_close({}_base(m));", name);
    line("  return s;");
    line("}}");
  }

  void write_functions() {
    line("typedef struct {0}_ctx {0}_ctx; /* a macec_ctx: {0}_base(m) for the general functions */",
         name);
    line("{}_API const macec_model *{}_model(void);", capitals, name);
    line("static inline macec_ctx *{0}_base({0}_ctx *m) {{ return MACEC_CAST(macec_ctx *, m); }}",
         name);
    line("");
    write_open();
    if (model.has_io_struct()) write_io_struct();
    write_run();
    line("static inline void {0}_close({0}_ctx *m) {{ macec_close({0}_base(m)); }}", name);
    if (!model.states.empty()) {
      line("/* states back to zero */");
      line(
          "static inline macec_status {0}_reset({0}_ctx *m) {{ return "
          "{0}_base(m)->model->reset({0}_base(m)); }}",
          name);
    }
    if (model.has_input_memory) {
      for (const InterfaceTensor& tensor : model.inputs) {
        line("static inline {1} *{0}_input_{2}({0}_ctx *m) {{", name, element_type(tensor.dtype).c,
             tensor.identifier);
        line("  return MACEC_CAST({0} *, {1}_base(m)->model->input({1}_base(m), {2}_IN_{3}));",
             element_type(tensor.dtype).c, name, capitals, upper(tensor.identifier));
        line("}}");
      }
    }
    if (model.has_once()) write_once();
  }

  std::string write() {
    line("/* BEGIN MODEL {} */", name);
    line("#ifndef {}_H", capitals);
    line("#define {}_H", capitals);
    for (const std::string& summary : model.summary) line("/* {} */", comment_text(summary));
    write_sizes();
    line("#ifndef {}_API", capitals);
    line(
        "#define {0}_API /* -D{0}_API='__attribute__((visibility(\"default\")))' exports it from a "
        "shared library */",
        capitals);
    line("#endif");
    line("#ifdef __cplusplus\nextern \"C\" {{\n#endif");
    write_functions();
    line("#ifdef __cplusplus\n}}\n#endif");
    line("#endif /* {}_H */", capitals);
    line("/* END MODEL {} */", name);
    return text;
  }
};

}  // namespace

std::string write_header(const GeneratedPair& pair) {
  std::string text;
  for (const std::string& line : pair.banner) text += "/* " + comment_text(line) + " */\n";
  text += pasted_text("runtime_stub/layer1.h");
  if (pair.has_gpu()) text += pasted_text("runtime_stub/layer2.h");
  for (const ModelInterface& model : pair.models) {
    MACEC_CHECK(why_no_model_name(model.name).empty(), "'{}' cannot name a model", model.name);
    text += "\n" + HeaderWriter{pair, model}.write();
  }
  return text;
}

}  // namespace macec
