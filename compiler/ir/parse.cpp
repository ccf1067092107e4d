// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads graphs as ir/text.cpp prints them. Constants may also be written {seed N} (numbers in -1..1 drawn from N) and {fill V}.
#include <cctype>
#include <cstdlib>
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/ir/text.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

using Symbols = std::map<std::string, std::shared_ptr<const Symbol>>;

class Parser {
 public:
  Parser(std::string_view text, const OpDef* (*find_op)(std::string_view))
      : text_(text), find_op_(find_op) {}

  Graph parse() {
    Graph graph = parse_graph_body();
    skip();
    if (at_ < text_.size()) fail("text behind the graph");
    return graph;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    throw user_error("line {}: {}", line, what);
  }

  // --- words ---------------------------------------------------------------------------------------------------------
  void skip(bool with_comments = true) {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (with_comments && text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  bool accept(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) fail(fmt::format("'{}' expected", word));
  }
  std::string word() {
    skip();
    const size_t start = at_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/' ||
             c == '-';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    if (at_ == start) fail("a name expected");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string quoted() {
    expect("\"");
    std::string s;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      s += text_[at_++];
    }
    expect("\"");
    return s;
  }
  std::string value_name() {
    expect("%");
    return at_ < text_.size() && text_[at_] == '"' ? quoted() : word();
  }
  double number() {
    skip();
    char* end = nullptr;
    const std::string rest(text_.substr(at_, 40));
    const double v = std::strtod(rest.c_str(), &end);
    if (end == rest.c_str()) fail("a number expected");
    at_ += static_cast<size_t>(end - rest.c_str());
    return v;
  }
  int64_t integer() { return static_cast<int64_t>(number()); }

  // --- extents and types ---------------------------------------------------------------------------------------------
  Dim factor() {
    skip();
    if (accept("(")) {  // "(height / 32)": the symbol in steps
      const Dim inner = extent();
      if (accept("/")) {
        const int64_t by = integer();
        expect(")");
        return floor_div(inner, by);
      }
      expect(")");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) return Dim(integer());
    const std::string name = word();
    if (name == "floor_div" || name == "min" || name == "max") {
      expect("(");
      const Dim a = extent();
      expect(",");
      const Dim b = extent();
      expect(")");
      return name == "min" ? min(a, b) : name == "max" ? max(a, b) : floor_div(a, b.value());
    }
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) fail(fmt::format("no symbol is called '{}'", name));
    return Dim::symbol(found->second);
  }
  Dim product_of_factors() {
    Dim d = factor();
    while (accept("*")) d *= factor();
    return d;
  }
  Dim extent() {
    Dim d = accept("-") ? -product_of_factors() : product_of_factors();
    for (;;) {
      if (accept("+")) {
        d += product_of_factors();
      } else if (accept("-")) {
        d = d - product_of_factors();
      } else {
        return d;
      }
    }
  }
  TensorType type() {
    const std::string name = word();
    const DTypeInfo* found = find_dtype(std::string_view(name));
    if (!found) fail(fmt::format("no element type is called '{}'", name));
    TensorType t{found->dtype, {}, Layout::plain};
    expect("[");
    while (!accept("]")) {
      t.shape.push_back(extent());
      accept(",");
    }
    if (accept("@cl")) t.layout = Layout::channels_last;
    return t;
  }

  // --- constants and attributes --------------------------------------------------------------------------------------
  Tensor tensor() {
    const TensorType t = type();
    Tensor result(t.dtype, fixed(t.shape));
    expect("{");
    if (accept("seed")) {
      uint64_t state = static_cast<uint64_t>(integer()) * 2654435761u + 1;
      for (int64_t i = 0; i < result.count(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        result.set_f64(i,
                       static_cast<double>(static_cast<int64_t>(state >> 33) % 2001 - 1000) / 1000);
      }
    } else if (accept("fill")) {
      const double v = number();
      for (int64_t i = 0; i < result.count(); ++i) result.set_f64(i, v);
    } else {
      for (int64_t i = 0; i < result.count(); ++i) {
        info(t.dtype).is_float ? result.set_f64(i, number()) : result.set_i64(i, integer());
        accept(",");
      }
    }
    expect("}");
    return result;
  }
  bool is_real_next() const {  // a number with the suffix f
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) ||
                                  text_[end] == '.' || text_[end] == '-' || text_[end] == '+'))
      ++end;
    return end > at_ && text_[end - 1] == 'f';
  }
  Attribute attribute() {
    skip();
    if (text_[at_] == '"') return quoted();
    if (accept("[")) {
      skip();
      std::vector<int64_t> integers;
      std::vector<float> reals;
      std::vector<std::string> texts;
      while (!accept("]")) {
        skip();
        if (text_[at_] == '"') {
          texts.push_back(quoted());
        } else if (is_real_next()) {
          reals.push_back(static_cast<float>(number()));
          expect("f");
        } else {
          integers.push_back(integer());
        }
        accept(",");
      }
      if (!texts.empty()) return texts;
      return reals.empty() ? Attribute(integers) : Attribute(reals);
    }
    if (std::isalpha(static_cast<unsigned char>(text_[at_])))
      return std::make_shared<const Tensor>(tensor());
    if (!is_real_next()) return integer();
    const float v = static_cast<float>(number());
    expect("f");
    return v;
  }
  Attributes attributes() {
    Attributes all;
    if (!accept("{")) return all;
    while (!accept("}")) {
      const std::string key = word();
      expect("=");
      all[key] = attribute();
      accept(",");
    }
    return all;
  }

  // --- graphs --------------------------------------------------------------------------------------------------------
  ValueId find_value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) fail(fmt::format("nothing is called %{}", name));
    return found->second;
  }
  ValueId define(Graph& graph, const std::string& name, TensorType t) {
    if (values_.count(name)) fail(fmt::format("%{} is defined twice", name));
    return values_[name] = add_value(graph, name, std::move(t));
  }
  // The symbols stand behind the signature that uses them.
  void read_symbols(Graph& graph) {
    const size_t start = at_, brace = text_.find("{", at_), where = text_.find(" where ", at_);
    if (where != text_.npos && where < brace) {
      at_ = where + 7;
      do {
        Symbol s;
        s.name = word();
        expect("=");
        std::string range = word();
        s.lo = std::strtoll(range.c_str(), nullptr, 10);
        s.hi = std::strtoll(range.c_str() + range.find("..") + 2, nullptr, 10);
        if (accept(":")) s.step = integer();
        auto symbol = std::make_shared<const Symbol>(s);
        symbols_[s.name] = symbol;
        graph.symbols.push_back(symbol);
      } while (accept(","));
    }
    at_ = start;
  }
  Graph parse_graph_body() {
    Graph graph;
    expect("graph");
    graph.name = quoted();
    const std::map<std::string, ValueId> outer = std::move(values_);
    values_.clear();
    read_symbols(graph);
    expect("(");
    while (!accept(")")) {
      const std::string name = value_name();
      expect(":");
      graph.inputs.push_back(define(graph, name, type()));
      accept(",");
    }
    expect("->");
    expect("(");
    std::vector<std::string> outputs;
    while (!accept(")")) {
      outputs.push_back(value_name());
      accept(",");
    }
    at_ = text_.find("{", at_);
    expect("{");
    while (!accept("}")) statement(graph);
    for (const std::string& name : outputs) graph.outputs.push_back(find_value(name));
    values_ = outer;
    return graph;
  }
  void statement(Graph& graph) {
    skip();
    if (text_.substr(at_, 6) == "graph ") {
      if (graph.order.empty()) fail("a body without a node");
      Graph body = parse_graph_body();
      graph.node(graph.order.back()).bodies.push_back(std::move(body));
      return;
    }
    std::vector<std::pair<std::string, TensorType>> outputs;
    do {
      if (accept("_")) {
        outputs.emplace_back();
        continue;
      }
      const std::string name = value_name();
      if (accept("=")) {
        if (accept("known")) {
          const ValueId id = define(graph, name, type());
          std::vector<Dim> elements;
          expect("{");
          while (!accept("}")) {
            elements.push_back(extent());
            accept(",");
          }
          graph.value(id).known = elements;
          return;
        }
        expect("constant");
        Tensor contents = tensor();
        const ValueId id = define(graph, name, contents.type());
        graph.value(id).constant = std::make_shared<const Tensor>(std::move(contents));
        return;
      }
      expect(":");
      outputs.emplace_back(name, type());
    } while (accept(","));
    expect("=");
    node(graph, outputs);
  }
  void node(Graph& graph, const std::vector<std::pair<std::string, TensorType>>& outputs) {
    Node node;
    node.op = word();
    node.def = find_op_(node.op);
    if (!node.def) fail(fmt::format("no operator is called '{}'", node.op));
    expect("(");
    while (!accept(")")) {
      node.inputs.push_back(accept("_") ? ValueId{} : find_value(value_name()));
      accept(",");
    }
    node.attributes = attributes();
    while (accept("|")) node.epilogue.push_back(step(node));
    skip(false);
    if (text_.substr(at_, 2) == "//") {
      const size_t end = text_.find('\n', at_);
      node.origins.emplace_back(text_.substr(at_ + 3, end - at_ - 3));
    }
    const NodeId id{static_cast<int32_t>(graph.nodes.size())};
    if (!outputs.empty()) node.name = outputs[0].first;
    graph.nodes.push_back(std::move(node));
    graph.order.push_back(id);
    for (const auto& [name, type] : outputs) {
      if (name.empty()) {
        graph.node(id).outputs.push_back({});
        continue;
      }
      const ValueId value = define(graph, name, type);
      graph.value(value).producer = id;
      graph.node(id).outputs.push_back(value);
    }
  }
  PointwiseStep step(Node& node) {
    PointwiseStep s;
    s.op = word();
    expect("(");
    while (!accept(")")) {
      if (accept("#")) {
        s.args.push_back({StepArg::step, static_cast<int>(integer())});
      } else if (accept(".")) {
        s.args.push_back({StepArg::result, 0});
      } else {
        const ValueId value = find_value(value_name());
        size_t at = 0;
        while (at < node.inputs.size() && node.inputs[at] != value) ++at;
        if (at == node.inputs.size()) fail("a step reads a value that is no input of its node");
        s.args.push_back({StepArg::input, static_cast<int>(at)});
      }
      accept(",");
    }
    expect(":");
    const std::string name = word();
    const DTypeInfo* found = find_dtype(std::string_view(name));
    if (!found) fail(fmt::format("no element type is called '{}'", name));
    s.dtype = found->dtype;
    s.attributes = attributes();
    return s;
  }

  std::string_view text_;
  size_t at_ = 0;
  const OpDef* (*find_op_)(std::string_view);
  Symbols symbols_;
  std::map<std::string, ValueId> values_;
};

}  // namespace

Graph parse_graph(std::string_view text, const OpDef* (*find_op)(std::string_view)) {
  return Parser(text, find_op).parse();
}

}  // namespace macec
