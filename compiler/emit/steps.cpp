// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/steps.h"

#include <algorithm>

#include "compiler/emit/expression.h"
#include "compiler/emit/grain.h"
#include "compiler/emit/names.h"
#include "compiler/emit/optional_outputs.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::string quantity(double n) {
  if (n >= 1e9) return fmt::format("{:.2f} G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.2f} M", n / 1e6);
  if (n >= 1e3) return fmt::format("{:.1f} K", n / 1e3);
  return fmt::format("{:.0f}", n);
}

std::string type_of(const View& view) {
  std::string extents;
  for (const Dim& d : view.shape) extents += (extents.empty() ? "" : ",") + d.text();
  return fmt::format("{}[{}]", name(view.dtype), extents);
}

// A kernel that can fail ends the run.
std::string checked_call(const Step& step, const std::string& call) {
  const std::string problem = step.kernel.counts
                                  ? fmt::format("results of '{}' exceed their bound", step.name)
                                  : fmt::format("an index of '{}' is out of range", step.name);
  return fmt::format("  if ({} != 0) c.status = fail(c, MACEC_E_RANGE, {});\n", call,
                     c_string(problem));
}

}  // namespace

StepsWriter::StepsWriter(const Plan& plan, const Target& target, size_t level,
                         const std::vector<int64_t>& weight_offsets,
                         const std::map<std::string, std::pair<std::string, int>>& symbols,
                         const std::vector<bool>& optional_outputs, bool step_hooks)
    : plan_(plan),
      target_(target),
      level_(level),
      weight_offsets_(weight_offsets),
      symbols_(symbols),
      optional_outputs_(optional_outputs),
      step_hooks_(step_hooks) {}

int StepsWriter::index_of(const Symbol& symbol) const {
  const auto at = symbols_.find(symbol.name);
  MACEC_CHECK(at != symbols_.end(), "no run-time value for the extent '{}'", symbol.name);
  return at->second.second;
}

SymbolNames StepsWriter::new_names() const {
  SymbolNames names;
  names.identifier = [this](const Symbol& symbol) {
    const auto at = symbols_.find(symbol.name);
    MACEC_CHECK(at != symbols_.end(), "no run-time value for the extent '{}'", symbol.name);
    MACEC_CHECK(!symbol.is_computed || set_.count(symbol.name),
                "the extent '{}' is used before a step sets it", symbol.name);
    return at->second.first;
  };
  return names;
}

std::string StepsWriter::locals(const SymbolNames& names) const {
  std::string text;
  for (const auto& [key, symbol] : symbols_)
    if (std::find(names.used.begin(), names.used.end(), symbol.first) != names.used.end()) {
      text += fmt::format("  const int64_t {} = c.dim[{}];\n", symbol.first, symbol.second);
    }
  return text;
}

std::string StepsWriter::comment_of(const Step& step) const {
  std::string origins;
  for (size_t i = 0; i < step.origins.size() && i < 12; ++i)
    origins += (i ? ", " : "") + comment_text(step.origins[i]);
  if (step.origins.size() > 12) origins += fmt::format(" and {} more", step.origins.size() - 12);
  std::string text =
      fmt::format("// {}: {}\n", step.number, origins.empty() ? comment_text(step.name) : origins);
  const KernelCall& call = step.kernel;
  std::string inputs, outputs;
  for (const View& v : call.inputs)
    if (v.buffer >= 0 && plan_.buffers[static_cast<size_t>(v.buffer)].place != Buffer::weight) {
      inputs += (inputs.empty() ? "" : ", ") + type_of(v);
    }
  for (const View& v : call.outputs)
    if (v.buffer >= 0) outputs += (outputs.empty() ? "" : ", ") + type_of(v);
  text += fmt::format("// {} -> {}", inputs.empty() ? "()" : inputs, outputs);
  if (call.multiply_adds > 0)
    text += fmt::format("; {} multiply-adds", quantity(call.multiply_adds));
  return text + "\n";
}

std::string StepsWriter::functor_argument(const KernelCall& call, SymbolNames& names) {
  const KernelRow* row = call.rows[level_];
  if (!row->takes_epilogue) return "";
  if (call.family != Family::pointwise && call.epilogue.empty()) return "NoEpilogue{}";
  OperandWriter operands{plan_, weight_offsets_, names};
  const bool is_work = call.family == Family::pointwise;
  const FunctorText functor = is_work ? pointwise_functor(call) : epilogue_functor(call);
  const auto [at, is_new] = functor_types_.emplace(functor.body, "");
  if (is_new) {
    at->second = fmt::format("{}{}", functor.stem, functor_types_.size());
    text_.functors += fmt::format("// {}\n{}", functor.summary, functor.definition(at->second));
  }
  std::string members;
  for (const FunctorMember& member : functor.members) {
    const std::vector<View>& inputs = is_work ? call.inputs : call.epilogue_inputs;
    std::string value;
    switch (member.kind) {
      case FunctorMember::input:
      case FunctorMember::packed_input:
        value = operands.pointer(inputs[static_cast<size_t>(member.operand)]);
        break;
      case FunctorMember::output:
        value = operands.pointer(call.outputs[static_cast<size_t>(member.operand)]);
        break;
      case FunctorMember::first_element:
        value = names(member.extent);
        break;
      case FunctorMember::stride:
        value = names(member.extent);
        break;
      case FunctorMember::value:
        value = member.text;
        break;
    }
    members += (members.empty() ? "" : ", ") + value;
  }
  return fmt::format("{}{{{}}}", at->second, members);
}

std::string StepsWriter::call_text(const Step& step, SymbolNames& names, bool* uses_worker) {
  const KernelCall& call = step.kernel;
  const KernelRow* row = call.rows[level_];
  OperandWriter operands{plan_, weight_offsets_, names};
  const ParamsText params = params_text(call.params, names);
  std::vector<std::string> arguments;
  std::string body;
  if (!params.type.empty()) {
    body += fmt::format("  {} {} p = {};\n", params.is_constant ? "constexpr" : "const",
                        params.type, params.initializer);
    arguments.push_back("p");
  }
  if (call.family != Family::pointwise) {
    for (const View& v : call.inputs) {
      const std::string pointer = operands.pointer(v);
      const bool is_null = pointer == "nullptr";
      arguments.push_back(
          is_null ? fmt::format("static_cast<const {}*>(nullptr)",
                                v.dtype == DType::undefined ? "float" : element_name(v.dtype))
                  : pointer);
    }
    for (const View& v : call.outputs) {
      const std::string pointer = operands.pointer(v);
      const bool has_type = v.dtype != DType::undefined;  // the kernel deduces it
      arguments.push_back(pointer == "nullptr" && has_type
                              ? fmt::format("static_cast<{}*>(nullptr)", element_name(v.dtype))
                              : pointer);
    }
  }
  const std::string functor = functor_argument(call, names);
  if (!functor.empty()) arguments.push_back(functor);
  arguments.push_back("begin");
  arguments.push_back("end");
  if (step.scratch_buffer >= 0) {
    const Buffer& scratch = plan_.buffers[static_cast<size_t>(step.scratch_buffer)];
    const int64_t each = (call.scratch_bytes + 63) / 64 * 64;
    const bool one = scratch.bytes == each;
    arguments.push_back(
        one ? fmt::format("c.arena + {}", scratch.offset)
            : fmt::format("c.arena + {} + worker * size_t{{{}}}", scratch.offset, each));
    *uses_worker = !one;
  } else {
    arguments.push_back("nullptr");
  }
  std::string joined;
  for (const std::string& a : arguments) joined += (joined.empty() ? "" : ", ") + a;
  const std::string instance =
      row->template_arguments
          ? fmt::format("{}<{}>", row->function,
                        row->template_arguments(call, target_.levels[level_].capabilities))
          : row->function;
  const std::string text = fmt::format("{}({})", instance, joined);
  body += row->can_fail ? checked_call(step, text) : fmt::format("  {};\n", text);
  return body;
}

void StepsWriter::write_function(const Step& step) {
  SymbolNames names = new_names();
  bool uses_worker = false;
  const std::string body = call_text(step, names, &uses_worker);
  text_.functions += comment_of(step);
  text_.functions += fmt::format("// kernel {}\n", step.kernel.rows[level_]->name);
  text_.functions +=
      fmt::format("void step{}(Context& c, int64_t begin, int64_t end, uint32_t{}) {{\n{}{}}}\n\n",
                  step.number, uses_worker ? " worker" : "", locals(names), body);
}

// The extent as an expression over c.dim.
std::string StepsWriter::value_of(const Dim& extent) const {
  return extent.code(
      [this](const Symbol& symbol) { return fmt::format("c.dim[{}]", index_of(symbol)); });
}

// The first element of a view, in the function of the run, where extents have no locals.
std::string StepsWriter::element_of(const View& view) const {
  SymbolNames names;
  names.identifier = [this](const Symbol& s) { return fmt::format("c.dim[{}]", index_of(s)); };
  const std::string pointer = OperandWriter{plan_, weight_offsets_, names}.pointer(view);
  return pointer.find(" + ") == std::string::npos ? "*" + pointer : fmt::format("*({})", pointer);
}

void StepsWriter::write_call(const Step& step, const std::string& indent) {
  write_function(step);
  const std::string units = value_of(units_of(step.kernel, *step.kernel.rows[level_]));
  const auto hook = [&](const char* function) {
    if (!step_hooks_) return;
    text_.run +=
        fmt::format("{}{}(c, {}, {});\n", indent, function, step.number, c_string(step.name));
  };
  hook("step_begins");
  const int output = only_output(plan_, step.kernel);
  const bool may_skip = output >= 0 && optional_outputs_[static_cast<size_t>(output)];
  const std::string wanted = may_skip ? fmt::format("if (c.out[{}]) ", output) : "";
  text_.run += fmt::format("{}{}run_units(c, {}, {:.0f}, step{});  // {}\n", indent, wanted, units,
                           grain_of(step.kernel, level_, target_.levels[level_].capabilities),
                           step.number, comment_text(step.name));
  hook("step_ends");
  text_.run += fmt::format("{}if (stops(c)) return c.status;\n", indent);
  for (size_t i = 0; i < step.extents.size(); ++i) {
    SymbolNames names = new_names();
    OperandWriter operands{plan_, weight_offsets_, names};
    const Symbol& symbol = *step.extents[i].symbol;
    const std::string pointer = operands.pointer(step.kernel.outputs.back());
    const std::string number = i == 0 ? "*" + pointer : fmt::format("({})[{}]", pointer, i);
    if (!step.kernel.counts) {  // numbers of the model, which may be any
      text_.run += fmt::format("{0}if ({1} < {2} || {1} > {3}) return c.status = fail(c, ", indent,
                               number, symbol.lo, symbol.hi);
      text_.run += fmt::format(
          "MACEC_E_RANGE, {}, {}, {}, {});\n",
          c_string(fmt::format("element {} of '{}', which --bound limits", i, step.name)), -1,
          number, symbol.hi);
    }
    text_.run += fmt::format("{}c.dim[{}] = {};\n", indent, index_of(symbol), number);
  }
}

void StepsWriter::write_extents(const Step& step, size_t body, const std::string& indent) {
  for (const Step::Extent& extent : step.extents) {
    text_.run += fmt::format("{}c.dim[{}] = {};\n", indent, index_of(*extent.symbol),
                             value_of(extent.values[body]));
  }
}

void StepsWriter::write_branch(const Step& step, const std::string& indent) {
  text_.run += fmt::format("{}// {}: {}\n", indent, step.number, comment_text(step.name));
  text_.run += fmt::format("{}if ({}) {{\n", indent, element_of(step.condition));
  for (size_t b = 0; b < step.bodies.size(); ++b) {
    if (b == 1) text_.run += indent + "} else {\n";
    write_list(step.bodies[b], step.body_checks[b], indent + "  ");
    write_extents(step, b, indent + "  ");
  }
  text_.run += indent + "}\n";
}

void StepsWriter::write_loop(const Step& step, const std::string& indent) {
  const int index = index_of(*step.index);
  set_.insert(step.index->name);
  const std::string in = indent + "  ";
  text_.run += fmt::format("{}{{  // {}: {}\n", indent, step.number, comment_text(step.name));
  const std::string trips = step.trip_count.buffer >= 0 ? element_of(step.trip_count) : "INT64_MAX";
  const std::string goes =
      step.condition.buffer >= 0 ? fmt::format("{} != 0", element_of(step.condition)) : "true";
  text_.run += fmt::format("{}const int64_t trips = {};\n{}bool goes = {};\n{}c.dim[{}] = 0;\n", in,
                           trips, in, goes, in, index);
  text_.run += fmt::format("{}while (goes && c.dim[{}] < trips) {{\n", in, index);
  if (step.bound >= 0) {
    text_.run += fmt::format(
        "{}  if (c.dim[{}] >= {}) return c.status = fail(c, MACEC_E_RANGE, {}, -1, c.dim[{}] + 1, "
        "{});\n",
        in, index, step.bound, c_string(fmt::format("iterations of '{}'", step.name)), index,
        step.bound);
  }
  text_.run += fmt::format("{}  {} = c.dim[{}];\n", in, element_of(step.iteration), index);
  text_.run += fmt::format("{}  {} = 1;\n", in, element_of(step.condition_now));
  write_list(step.bodies[0], step.body_checks[0], in + "  ");
  text_.run += fmt::format("{}  goes = {} != 0;\n{}  ++c.dim[{}];\n{}}}\n", in,
                           element_of(step.condition_next), in, index, in);
  write_extents(step, 0, in);
  text_.run += indent + "}\n";
}

void StepsWriter::write_fail(const Step& step, const std::string& indent) {
  text_.run += fmt::format("{}return c.status = fail(c, MACEC_E_SHAPE, {});  // {}\n", indent,
                           c_string(step.failure), step.number);
}

void StepsWriter::write_list(const StepList& steps, const std::vector<ExtentCheck>& checks,
                             const std::string& indent) {
  waiting_.push_back(checks);
  write_checks(indent);
  for (const Step& step : steps) write_step(step, indent);
  waiting_.pop_back();
}

// The checks of the list that is being written whose extents are all set now.
void StepsWriter::write_checks(const std::string& indent) {
  std::vector<ExtentCheck> later;
  for (const ExtentCheck& check : waiting_.back()) {
    bool is_set = true;
    for (const Dim* d : {&check.a, &check.b})
      d->symbols([&](const std::shared_ptr<const Symbol>& s) {
        is_set = is_set && (!s->is_computed || set_.count(s->name));
      });
    if (!is_set) {
      later.push_back(check);
      continue;
    }
    const std::string a = value_of(check.a), b = value_of(check.b);
    text_.run += fmt::format(
        "{0}if (({1}) != ({2})) return c.status = fail(c, MACEC_E_SHAPE, {3}, -1, {1}, {2});\n",
        indent, a, b, c_string(fmt::format("{} and {} must agree", check.text_a, check.text_b)));
  }
  waiting_.back() = std::move(later);
}

void StepsWriter::write_step(const Step& step, const std::string& indent) {
  if (step.kind == Step::call) write_call(step, indent);
  if (step.kind == Step::branch) write_branch(step, indent);
  if (step.kind == Step::loop) write_loop(step, indent);
  if (step.kind == Step::fail) write_fail(step, indent);
  for (const Step::Extent& extent : step.extents) set_.insert(extent.symbol->name);
  write_checks(indent);
}

StepsText StepsWriter::write(const std::string& run_name) {
  text_.run = fmt::format("macec_status {}(Context& c) {{\n", run_name);
  std::vector<ExtentCheck> checks;
  for (const ExtentCheck& check : plan_.checks)
    if (check.is_on_computed()) checks.push_back(check);
  if (plan_.gpu) {
    waiting_ = {checks};
    write_gpu_run();
  } else {
    write_list(plan_.steps, checks, "  ");
    text_.run += "  return c.status;\n";
  }
  text_.run += "}\n";
  return std::move(text_);
}

namespace {

void collect_headers(const StepList& steps, size_t level, std::vector<std::string>* headers) {
  const auto add = [&](const std::string& header) {
    if (std::find(headers->begin(), headers->end(), header) == headers->end())
      headers->push_back(header);
  };
  for (const Step& step : steps) {
    for (const StepList& body : step.bodies) collect_headers(body, level, headers);
    if (step.kind != Step::call || step.device == Device::gpu) continue;
    add(step.kernel.rows[level]->header);
    if (step.kernel.rows[level]->takes_epilogue) add("kernels/epilogue.h");
    const KernelCall& call = step.kernel;
    if (call.epilogue.empty()) continue;
    const FunctorText functor =
        call.family == Family::pointwise ? pointwise_functor(call) : epilogue_functor(call);
    for (const std::string& header : functor.headers) add(header);
  }
}

}  // namespace

std::vector<std::string> kernel_headers(const Plan& plan, size_t level) {
  std::vector<std::string> headers;
  collect_headers(plan.steps, level, &headers);
  std::sort(headers.begin(), headers.end());
  return headers;
}

}  // namespace macec
