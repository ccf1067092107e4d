// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/import.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/edit.h"
#include "compiler/ir/place.h"
#include "compiler/onnx/builder.h"
#include "compiler/onnx/external_files.h"
#include "compiler/onnx/inputs.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

// Versions of the operator sets. Throws UserError: none, too old, too new.
// The format of the file; what an operator means is said by opsets.
void check_ir_version(const onnx::ModelProto& model) {
  constexpr int64_t kLatestIr = 14;
  if (model.ir_version() > kLatestIr)
    throw user_error("the model has the IR version {}, which is not supported; macec knows 1 to {}",
                     model.ir_version(), kLatestIr)
        .hint("export the model with an older version of the onnx package");
}

Opsets read_opsets(const onnx::ModelProto& model) {
  Opsets opsets;
  for (const auto& opset : model.opset_import()) {
    const std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    if (!opsets.emplace(domain, opset.version()).second && opsets[domain] != opset.version())
      throw user_error("the model imports two versions of the opset of domain '{}': {} and {}",
                       printable(domain), opsets[domain], opset.version());
  }
  constexpr int64_t kFirstIrWithOpsets = 3;
  if (opsets.empty() && model.ir_version() < kFirstIrWithOpsets && model.ir_version() > 0)
    opsets[""] = 1;  // there was only one
  if (opsets.empty())
    throw user_error("the model imports no opset, so that its operators have no defined meaning")
        .hint("export it again; onnx.helper.make_model(..., opset_imports=[...]) sets it");
  const auto main = opsets.find("");
  if (main == opsets.end()) return opsets;
  if (main->second > kLatestOpset)
    throw user_error("opset {} is not supported; macec knows {} to {}", main->second,
                     kOldestReadOpset, kLatestOpset)
        .hint(fmt::format("export the model with opset_version={}", kLatestOpset));
  if (main->second < kOldestReadOpset)
    throw user_error("there is no opset {}; macec knows {} to {}", main->second, kOldestReadOpset,
                     kLatestOpset);
  return opsets;
}

class Import {
 public:
  Import(const Model& model, const ImportOptions& options, Diagnostics& diag)
      : model_(model),
        proto_(*model.proto),
        options_(options),
        diag_(diag),
        builder_(proto_, model.folder, diag) {}

  Graph run() {
    check_ir_version(proto_);
    opsets_ = read_opsets(proto_);
    check_external_files(model_, diag_);
    if (diag_.count()) return {};
    target_.graph.name = proto_.graph().name();
    source_ = builder_.source.read(proto_.graph(), opsets_, {options_.inputs, options_.outputs});
    scope_.target = &target_;
    scope_.source = &source_;
    if (source_.outputs.empty()) throw user_error("the model has no outputs");
    add_inputs();
    if (diag_.count()) return {};
    builder_.build(scope_);
    add_outputs();
    report_unsupported();
    return std::move(target_.graph);
  }

 private:
  // Inputs of the file, and values that --inputs makes inputs, with the types that value_info declares.
  std::vector<DeclaredValue> wanted_inputs() {
    std::vector<DeclaredValue> wanted = declared_inputs(model_);
    if (options_.inputs.empty()) return wanted;
    const std::vector<DeclaredValue> known = declared_values(model_);
    std::vector<DeclaredValue> cut;
    for (const std::string& name : options_.inputs) {
      const auto has_name = [&](const DeclaredValue& value) { return value.name == name; };
      auto at = std::find_if(known.begin(), known.end(), has_name);
      if (at == known.end())
        throw user_error(
            "--inputs names '{}', and the model does not declare the type of such a value",
            printable(name))
            .hint(
                "onnx.shape_inference.infer_shapes(model) writes the types of all values into the "
                "file");
      cut.push_back(*at);
    }
    // Inputs of the file stay where they are needed.
    std::set<std::string> used;
    for (const SourceNode& node : source_.nodes) {
      used.insert(node.proto->input().begin(), node.proto->input().end());
      for (const auto& attribute : node.proto->attribute())
        if (attribute.has_g())
          for (const std::string& name : builder_.source.free_names(attribute.g()))
            used.insert(name);
    }
    for (const DeclaredValue& value : wanted) {
      const bool is_listed =
          std::count(options_.inputs.begin(), options_.inputs.end(), value.name) != 0;
      if (!is_listed && used.count(value.name)) cut.push_back(value);
    }
    return cut;
  }

  void add_inputs() {
    ImportInputs inputs = resolve_inputs(wanted_inputs(), options_, diag_);
    if (diag_.count()) return;
    target_.graph.symbols = inputs.symbols;
    target_.graph.bounds = options_.bounds;
    for (ImportInput& input : inputs.inputs) {
      if (input.constant) {
        builder_.define_constant(scope_, input.name, input.constant);
        continue;
      }
      const auto io_type = options_.io_types.find(input.name);
      if (io_type == options_.io_types.end() || io_type->second == input.type.dtype) {
        target_.graph.inputs.push_back(builder_.define(scope_, input.name, input.type));
        builder_.read_extents(scope_, input.name);
        continue;
      }
      // The app's type at the door, the model's inside.
      const int64_t inside = static_cast<int64_t>(input.type.dtype);
      TensorType outside = input.type;
      outside.dtype = io_type->second;
      const ValueId id = builder_.define(scope_, input.name, outside);
      target_.graph.inputs.push_back(id);
      const std::string name = fmt::format("{}.{}", input.name, macec::name(input.type.dtype));
      scope_.values[input.name] = builder_.add_node(scope_, "Cast", {id}, {{"to", inside}}, name);
    }
  }

  void add_outputs() {
    std::set<std::string> listed;
    std::map<std::string, int> declared;
    for (const auto& output : proto_.graph().output())
      declared.emplace(output.name(), output.type().tensor_type().elem_type());
    for (const std::string& name : source_.outputs) {
      try {
        if (!listed.insert(name).second)
          throw user_error("the output '{}' is listed twice", printable(name));
        if (builder_.find_composite(scope_, name))
          throw user_error("the output '{}' is a sequence; an output must be a tensor",
                           printable(name))
              .hint("make its elements outputs, or what ConcatFromSequence makes of them");
        ValueId id = builder_.find(scope_, name);
        if (!id.is_valid())
          throw user_error("nothing makes the model's output '{}'", printable(name));
        if (target_.graph.type(id).dtype == DType::undefined) continue;  // its error is reported
        id = cast_output(name, named(name, id));
        const auto at = declared.find(name);
        if (at != declared.end()) check_declared(name, at->second, id);
        target_.graph.outputs.push_back(id);
      } catch (const UserError& error) {
        diag_.add(error);
      }
    }
    for (const auto& [name, dtype] : options_.io_types) {
      const auto& g = target_.graph;
      const auto has_name = [&, n = name](ValueId id) { return g.value(id).name == n; };
      if (std::none_of(g.inputs.begin(), g.inputs.end(), has_name) &&
          std::none_of(g.outputs.begin(), g.outputs.end(), has_name) && diag_.count() == 0)
        diag_.add(user_error("the model has no input or output '{}', which --io-type names",
                             printable(name)));
    }
  }

  // The value under the output's own name: a branch that was taken at compile time hands over values of other names.
  ValueId named(const std::string& name, ValueId id) {
    Graph& graph = target_.graph;
    Value& value = graph.value(id);
    if (value.name == name) return id;
    const bool is_input = std::count(graph.inputs.begin(), graph.inputs.end(), id) != 0;
    const bool is_output = std::count(graph.outputs.begin(), graph.outputs.end(), id) != 0;
    const bool is_wanted =
        std::count(source_.outputs.begin(), source_.outputs.end(), value.name) != 0;
    if (value.constant) return builder_.define_constant(scope_, name, value.constant);
    if (is_input || is_output || is_wanted || !target_.names.insert(name).second)
      return builder_.add_node(scope_, "Identity", {id}, {}, name);
    value.name = name;
    return id;
  }

  ValueId cast_output(const std::string& name, ValueId id) {
    const auto io_type = options_.io_types.find(name);
    const bool is_input =
        std::count(target_.graph.inputs.begin(), target_.graph.inputs.end(), id) != 0;
    if (io_type == options_.io_types.end() || is_input ||
        target_.graph.type(id).dtype == io_type->second)
      return id;
    const std::string inside =
        fmt::format("{}.{}", name, macec::name(target_.graph.type(id).dtype));
    target_.names.erase(name);
    target_.graph.value(id).name = inside;
    return builder_.add_node(scope_, "Cast", {id}, {{"to", static_cast<int64_t>(io_type->second)}},
                             name);
  }

  // What the file says of an output is not trusted, but a wrong element type means that one of us misreads the model.
  void check_declared(const std::string& name, int declared, ValueId id) const {
    if (!options_.io_types.empty() || !options_.outputs.empty() || declared == 0) return;
    const DType computed = target_.graph.type(id).dtype;
    if (declared == static_cast<int>(computed)) return;
    const DTypeInfo* type = find_dtype(declared);
    throw user_error("output '{}' is declared as {}, but the nodes compute {}", printable(name),
                     type ? type->name : std::to_string(declared), macec::name(computed));
  }

  // All unsupported operators are one error: the flag that leaves them out is one, too.
  void report_unsupported() {
    const std::vector<Unsupported>& all = builder_.unsupported;
    if (all.empty()) return;
    std::vector<std::string> types;
    for (const Unsupported& u : all) {
      const std::string type = u.opset ? fmt::format("{} of opset {}", u.type, u.opset) : u.type;
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    }
    const int64_t count = static_cast<int64_t>(all.size()), others = builder_.nodes_met - count;
    UserError error =
        user_error("{} {} {} not supported ({}{})", types.size() == 1 ? "operator" : "operators",
                   join(types, ", "), types.size() == 1 ? "is" : "are", plural(count, "node"),
                   others == 0   ? ""
                   : others == 1 ? "; the other node is"
                                 : fmt::format("; the other {} nodes are", others));
    constexpr size_t kMostPlaces = 12;
    for (size_t i = 0; i < std::min(all.size(), kMostPlaces); ++i) error.at(all[i].place);
    if (all.size() > kMostPlaces) error.at(fmt::format("{} more", all.size() - kMostPlaces));
    for (const Unsupported& u : all)
      if (!u.near.empty())
        error.hint(fmt::format("did you mean {} instead of {}?", u.near, u.type));
    const auto old = std::find_if(all.begin(), all.end(),
                                  [](const Unsupported& u) { return u.was_experimental; });
    if (old != all.end())
      error.hint(fmt::format("{} was an experiment of opset 1 and is in no later one", old->type));
    suggest_cut(&error);
    diag_.add(error);
  }

  void suggest_cut(UserError* error) {
    std::vector<std::string> cut;
    const auto add = [&](const std::string& name) {
      if (std::find(cut.begin(), cut.end(), name) == cut.end()) cut.push_back(name);
    };
    for (const ValueId id : target_.graph.outputs) add(target_.graph.value(id).name);
    const size_t complete = cut.size();
    for (const Unsupported& u : builder_.unsupported) {
      if (u.is_in_body) return;
      for (const std::string& name : u.needs) add(name);
    }
    if (cut.empty()) return;
    std::vector<std::string> quoted;
    for (size_t i = complete; i < cut.size(); ++i)
      quoted.push_back(fmt::format("'{}'", printable(cut[i])));
    const std::string last = quoted.empty() ? "" : quoted.back();
    if (quoted.size() > 1) quoted.pop_back();
    const std::string values = quoted.empty() ? "" : builds_list(quoted, last);
    if (!values.empty())
      error->hint(fmt::format("end the model before {} and do {} in the app; the {} needed {}",
                              builder_.unsupported.size() == 1 ? "it" : "them",
                              builder_.unsupported.size() == 1 ? "this step" : "these steps",
                              cut.size() - complete == 1 ? "value" : "values", values));
    error->cure({{"--outputs", join(cut, ","), true}});
  }

  static std::string builds_list(const std::vector<std::string>& quoted, const std::string& last) {
    if (quoted.size() == 1 && quoted[0] == last) return "is " + last;
    return fmt::format("are {} and {}", join(quoted, ", "), last);
  }

  const Model& model_;
  const onnx::ModelProto& proto_;
  const ImportOptions& options_;
  Diagnostics& diag_;
  Builder builder_;
  Opsets opsets_;
  SourceGraph source_;
  Builder::Target target_;
  Builder::Scope scope_;
};

}  // namespace

Graph import_model(const Model& model, const ImportOptions& options, Diagnostics& diag) {
  try {
    Import import(model, options, diag);
    return import.run();
  } catch (const UserError& error) {
    diag.add(error);
    return {};
  }
}

// A state is read with the extents that the run before wrote; a cache may grow (past, past + 1), which the generated
// code checks at run time. Two fixed extents must be equal.
static bool may_be_state(const TensorType& in, const TensorType& out) {
  if (in.dtype != out.dtype || in.rank() != out.rank()) return false;
  for (size_t i = 0; i < in.shape.size(); ++i)
    if (in.shape[i] != out.shape[i] && in.shape[i].is_fixed() && out.shape[i].is_fixed())
      return false;
  return true;
}

std::vector<std::pair<int, int>> match_states(
    const Graph& graph, const std::vector<std::pair<std::string, std::string>>& patterns,
    Diagnostics& diag) {
  std::vector<std::pair<int, int>> states;
  const auto index_of = [&](const std::vector<ValueId>& values, const std::string& name) {
    for (size_t i = 0; i < values.size(); ++i)
      if (graph.value(values[i]).name == name) return static_cast<int>(i);
    return -1;
  };
  for (const auto& [from, to] : patterns) {
    bool found = false;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const Value& input = graph.value(graph.inputs[i]);
      std::vector<std::string> stars;
      if (!matches_pattern(from, input.name, &stars)) continue;
      found = true;
      std::string name;
      size_t star = 0;
      for (const char c : to)
        name += c == '*' && star < stars.size() ? stars[star++] : std::string(1, c);
      const int output = index_of(graph.outputs, name);
      if (output < 0) {
        diag.add(
            user_error("--state ties input '{}' to output '{}', and the model has no such output",
                       printable(input.name), printable(name)));
        continue;
      }
      const Value& result = graph.value(graph.outputs[static_cast<size_t>(output)]);
      if (!may_be_state(input.type, result.type))
        diag.add(user_error("--state ties two values of different types")
                     .at(place(input))
                     .at(place(result)));
      else if (std::any_of(states.begin(), states.end(), [&](const auto& s) {
                 return s.first == static_cast<int>(i) || s.second == output;
               }))
        diag.add(user_error("--state names input '{}' or output '{}' twice", printable(input.name),
                            printable(name)));
      else
        states.emplace_back(static_cast<int>(i), output);
    }
    if (!found)
      diag.add(user_error("the model has no input '{}', which --state names", printable(from)));
  }
  return states;
}

}  // namespace macec
