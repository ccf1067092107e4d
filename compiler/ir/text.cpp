// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing of graphs. ir/parse.cpp reads the same form.
#include "compiler/ir/text.h"

#include <algorithm>
#include <cctype>

#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int64_t kPrintedElements = 64;  // larger constants print as a fill

std::string quote(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 32) {
      out += fmt::format("\\x{:02x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string text_of(const Attribute& attribute) {
  struct Printer {
    std::string operator()(int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(float v) const { return fmt::format("{}f", v); }
    std::string operator()(const std::string& v) const { return quote(v); }
    std::string operator()(const std::vector<int64_t>& v) const {
      return fmt::format("[{}]", fmt::join(v, ", "));
    }
    std::string operator()(const std::vector<float>& v) const {
      std::string s;
      for (float x : v) s += fmt::format("{}{}f", s.empty() ? "" : ", ", x);
      return "[" + s + "]";
    }
    std::string operator()(const std::vector<std::string>& v) const {
      std::string s;
      for (const std::string& x : v) s += (s.empty() ? "" : ", ") + quote(x);
      return "[" + s + "]";
    }
    std::string operator()(const TensorPtr& v) const { return v ? text(*v) : "null"; }
  };
  return std::visit(Printer{}, attribute);
}

std::string text_of(const Attributes& attributes) {
  if (attributes.empty()) return "";
  std::string s;
  for (const auto& [key, value] : attributes)
    s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", key, text_of(value));
  return " {" + s + "}";
}

// Names of letters, digits and _ . / : - stand bare; all others in quotes.
std::string value_name(const std::string& name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  });
  return "%" + (is_plain ? name : quote(name));
}

std::string name_of(const Graph& graph, ValueId id) {
  return id.is_valid() ? value_name(graph.value(id).name) : "_";
}

// A value that is only its known contents: nothing computes it, it has no bytes.
bool is_contents_alone(const Graph& graph, size_t index) {
  const Value& value = graph.values[index];
  const ValueId id{static_cast<int32_t>(index)};
  return value.known && !value.constant && !value.producer.is_valid() &&
         std::find(graph.inputs.begin(), graph.inputs.end(), id) == graph.inputs.end();
}

// Which values anything reads: constants that nobody does are not printed.
std::vector<bool> used_values(const Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  for (ValueId v : graph.outputs)
    if (v.is_valid()) used[static_cast<size_t>(v.index)] = true;
  for (NodeId id : graph.order)
    for (ValueId v : graph.node(id).inputs)
      if (v.is_valid()) used[static_cast<size_t>(v.index)] = true;
  return used;
}

std::string text_of(const Graph& graph, const Node& node, const PointwiseStep& step) {
  std::string args;
  for (const StepArg& arg : step.args) {
    args += args.empty() ? "" : ", ";
    if (arg.kind == StepArg::result) args += ".";
    if (arg.kind == StepArg::step) args += fmt::format("#{}", arg.index);
    if (arg.kind == StepArg::input)
      args += name_of(graph, node.inputs[static_cast<size_t>(arg.index)]);
  }
  return fmt::format(" | {}({}): {}{}", step.op, args, name(step.dtype), text_of(step.attributes));
}

std::string constant_text(const Tensor& tensor) {
  const int64_t n = tensor.count();
  if (n > kPrintedElements) return fmt::format("{{...}} // {} elements", n);
  std::string s;
  for (int64_t i = 0; i < n; ++i) {
    s += i ? ", " : "";
    s += info(tensor.dtype).is_float ? fmt::format("{}", tensor.f64(i))
                                     : fmt::format("{}", tensor.i64(i));
  }
  return "{" + s + "}";
}

void print(const Graph& graph, const std::string& indent, std::string* out) {
  std::string inputs, outputs, symbols;
  for (ValueId v : graph.inputs) {
    inputs +=
        fmt::format("{}{}: {}", inputs.empty() ? "" : ", ", name_of(graph, v), text(graph.type(v)));
  }
  for (ValueId v : graph.outputs) outputs += (outputs.empty() ? "" : ", ") + name_of(graph, v);
  for (const auto& s : graph.symbols) {
    symbols +=
        fmt::format("{}{} = {}..{}", symbols.empty() ? " where " : ", ", s->name, s->lo, s->hi);
    if (s->step != 1) symbols += fmt::format(":{}", s->step);
  }
  *out += fmt::format("{}graph {} ({}) -> ({}){} {{\n", indent, quote(graph.name), inputs, outputs,
                      symbols);
  const std::vector<bool> used = used_values(graph);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    if (!used[i]) continue;
    if (is_contents_alone(graph, i)) {
      std::string elements;
      for (const Dim& d : *value.known) elements += (elements.empty() ? "" : ", ") + d.text();
      *out += fmt::format("{}  {} = known {} {{{}}}\n", indent, value_name(value.name),
                          text(value.type), elements);
    }
    if (!value.constant) continue;
    *out += fmt::format("{}  {} = constant {} {}\n", indent, value_name(value.name),
                        text(value.type), constant_text(*value.constant));
  }
  for (NodeId id : graph.order) {
    const Node& node = graph.node(id);
    *out += indent + "  " + text(graph, node) + "\n";
    for (const Graph& body : node.bodies) print(body, indent + "    ", out);
  }
  *out += indent + "}\n";
}

}  // namespace

std::string text(const Graph& graph, const Node& node) {
  std::string s;
  for (ValueId v : node.outputs) {
    s += s.empty() ? "" : ", ";
    s += v.is_valid() ? fmt::format("{}: {}", name_of(graph, v), text(graph.type(v))) : "_";
  }
  s += " = " + node.op + "(";
  for (size_t i = 0; i < node.inputs.size(); ++i)
    s += (i ? ", " : "") + name_of(graph, node.inputs[i]);
  s += ")" + text_of(node.attributes);
  for (const PointwiseStep& step : node.epilogue) s += text_of(graph, node, step);
  if (!node.origins.empty()) s += fmt::format("   // {}", fmt::join(node.origins, ", "));
  return s;
}

std::string text(const Graph& graph) {
  std::string s;
  print(graph, "", &s);
  return s;
}

}  // namespace macec
