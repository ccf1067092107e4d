// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec_evaluate FOLDER...: macec's own reference against recorded outputs, without any code generation.
//
// A folder holds model.onnx and test_data_set_N/{input,output}_K.pb. Sizes of free dimensions come from the data. A model that is
// refused is tried again with its small integer inputs as constants, since axes and shapes that are inputs of a one-node model are
// constants in real ones. One line a folder: passed, refused (why) or wrong (where); the exit code is 1 if any is wrong.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "compiler/onnx/import.h"
#include "compiler/ops/registry.h"

namespace fs = std::filesystem;
using namespace macec;

namespace {

std::vector<Tensor> load_set(const fs::path& folder, const char* stem) {
  std::vector<Tensor> tensors;
  for (int k = 0;; ++k) {
    const fs::path file = folder / fmt::format("{}_{}.pb", stem, k);
    if (!fs::exists(file)) return tensors;
    tensors.push_back(load_tensor(file.string()).tensor);
  }
}

ImportOptions options_for(const Model& model, const std::vector<Tensor>& inputs,
                          bool sets_integers) {
  ImportOptions options;
  const std::vector<DeclaredValue> declared = declared_inputs(model);
  for (size_t i = 0; i < declared.size() && i < inputs.size(); ++i) {
    std::vector<ShapeItem> shape;
    for (int64_t extent : inputs[i].shape)
      shape.push_back({ShapeItem::extent, {extent, extent, 1}, ""});
    options.shapes[declared[i].name] = std::move(shape);
    const DTypeInfo& type = info(inputs[i].dtype);
    if (sets_integers && (type.is_integer || inputs[i].dtype == DType::boolean) &&
        inputs[i].count() <= 64) {
      options.sets[declared[i].name] = to_f64(inputs[i]);
    }
  }
  return options;
}

// Empty: within the tolerance.
std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol) {
  if (got.dtype != want.dtype || got.shape != want.shape)
    return fmt::format("{} instead of {}", text(got.type()), text(want.type()));
  for (int64_t i = 0; i < want.count(); ++i) {
    const double g = got.f64(i), w = want.f64(i);
    const bool is_close =
        std::isnan(w) ? std::isnan(g) : g == w || std::fabs(g - w) <= atol + rtol * std::fabs(w);
    if (!is_close && !(info(want.dtype).is_integer && got.i64(i) == want.i64(i)))
      return fmt::format("element {}: {} instead of {}", i, g, w);
  }
  return "";
}

struct Outcome {
  std::string verdict, detail;
};

Outcome run_set(const Model& model, const fs::path& data, double rtol, double atol,
                bool sets_integers) {
  std::vector<Tensor> inputs = load_set(data, "input");
  const std::vector<Tensor> wanted = load_set(data, "output");
  const ImportOptions options = options_for(model, inputs, sets_integers);
  Diagnostics diag;
  const Graph graph = import_model(model, options, diag);
  if (diag.count() > 0) return {"refused", diag.errors()[0].text()};
  std::vector<Tensor> given;
  const std::vector<DeclaredValue> declared = declared_inputs(model);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (options.sets.count(declared[i].name) == 0) given.push_back(std::move(inputs[i]));
  }
  const std::vector<Tensor> got = evaluate_graph(graph, given);
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (o >= got.size()) return {"wrong", "an output is missing"};
    // What was inferred must hold too.
    const TensorType& inferred = graph.type(graph.outputs[o]);
    if (inferred.dtype != got[o].dtype ||
        (is_fixed(inferred.shape) && fixed(inferred.shape) != got[o].shape)) {
      return {"wrong", fmt::format("output {}: inferred {}, evaluated {}", o, text(inferred),
                                   text(got[o].type()))};
    }
    const std::string found = difference(got[o], wanted[o], rtol, atol);
    if (!found.empty()) return {"wrong", fmt::format("output {}: {}", o, found)};
    const auto& known = graph.value(graph.outputs[o]).known;
    for (size_t i = 0; known && i < known->size(); ++i) {
      if ((*known)[i].is_fixed() && (*known)[i].value() != got[o].i64(static_cast<int64_t>(i)))
        return {"wrong", "known contents differ"};
    }
  }
  return {"passed", ""};
}

Outcome run_folder(const fs::path& folder) {
  double rtol = 1e-3, atol = 1e-7;
  std::ifstream(folder / "tolerance.txt") >> rtol >> atol;
  Outcome outcome = {"without data", ""};
  try {
    const Model model = load_model((folder / "model.onnx").string());
    for (int n = 0; fs::exists(folder / fmt::format("test_data_set_{}", n)); ++n) {
      const fs::path data = folder / fmt::format("test_data_set_{}", n);
      outcome = run_set(model, data, rtol, atol, false);
      if (outcome.verdict == "refused") {
        const Outcome again = run_set(model, data, rtol, atol, true);
        if (again.verdict != "refused") outcome = {again.verdict + " with constants", again.detail};
      }
      if (outcome.verdict.rfind("passed", 0) != 0) break;
    }
  } catch (const UserError& error) {
    outcome = {"refused", error.text()};
  } catch (const std::exception& error) {
    outcome = {"failed", error.what()};
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, int> counts;
  for (int i = 1; i < argc; ++i) {
    const fs::path folder = argv[i];
    if (!fs::exists(folder / "model.onnx")) continue;
    const Outcome outcome = run_folder(folder);
    ++counts[outcome.verdict];
    fmt::print("{}\t{}\t{}\n", outcome.verdict, folder.filename().string(), outcome.detail);
    std::fflush(stdout);
  }
  for (const auto& [verdict, count] : counts) fmt::print(stderr, "{} {}\n", count, verdict);
  return counts.count("wrong") + counts.count("wrong with constants") + counts.count("failed") != 0
             ? 1
             : 0;
}
