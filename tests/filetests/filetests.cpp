// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs passes on graphs in text form: filetests FOLDER
//
// FOLDER/<pass>/<case>.ir holds a graph, a line "// after", and the graph that the pass must make of it. Where all extents are
// fixed, both graphs are evaluated on drawn inputs and must agree. MACEC_BLESS=1 rewrites the part behind the line.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/ir/text.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"
#include "passes/pass.h"

namespace {

using namespace macec;
const std::string kSeparator = "// after\n";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Tensor> draw_inputs(const Graph& graph) {
  std::vector<Tensor> inputs;
  uint64_t state = 7;
  for (ValueId v : graph.inputs) {
    Tensor t(graph.type(v).dtype, fixed(graph.type(v).shape));
    for (int64_t i = 0; i < t.count(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      t.set_f64(i, static_cast<double>(static_cast<int64_t>(state >> 33) % 2001 - 1000) / 500);
    }
    inputs.push_back(std::move(t));
  }
  return inputs;
}

// What differs between the meanings of two graphs, or "".
std::string difference(const Graph& before, const Graph& after) {
  for (ValueId v : before.inputs)
    if (!is_fixed(before.type(v).shape)) return "";
  const std::vector<Tensor> inputs = draw_inputs(before);
  const std::vector<Tensor> a = evaluate_graph(before, inputs), b = evaluate_graph(after, inputs);
  for (size_t o = 0; o < a.size(); ++o) {
    if (a[o].shape != b[o].shape || a[o].dtype != b[o].dtype)
      return "the pass changed the type of an output";
    for (int64_t i = 0; i < a[o].count(); ++i) {
      const double x = a[o].f64(i), y = b[o].f64(i);
      if (std::fabs(x - y) > 1e-5 * std::max(1.0, std::fabs(x)) &&
          !(std::isnan(x) && std::isnan(y))) {
        return fmt::format("element {} of output {} changed from {} to {}", i, o, x, y);
      }
    }
  }
  return "";
}

bool run_case(const std::filesystem::path& path, bool bless) {
  const std::string all = read(path), pass = path.parent_path().filename().string();
  const size_t split = all.find(kSeparator);
  const std::string source = all.substr(0, split);
  std::string problem;
  try {
    Graph before = parse_graph(source, find_op);
    verify(before, "parse");
    for (NodeId id : std::vector<NodeId>(before.order))
      infer_node(before, id);  // contents, and: are the types as written?
    if (text(before) != text(parse_graph(source, find_op)))
      throw user_error("the types in the file are not those that the operators give");
    Graph after = before;
    PassContext context;
    run_pass(after, pass, context);
    const std::string have = text(after),
                      want = split == all.npos ? "" : all.substr(split + kSeparator.size());
    parse_graph(have, find_op);
    problem = difference(before, after);
    if (problem.empty() && bless) {
      std::ofstream(path, std::ios::binary) << source << kSeparator << have;
    } else if (problem.empty() && have != want) {
      problem = "made\n" + have + "but expected\n" + want;
    }
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!problem.empty())
    std::printf("FAIL %s/%s: %s\n", pass.c_str(), path.filename().c_str(), problem.c_str());
  return problem.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const bool bless = std::getenv("MACEC_BLESS") != nullptr;
  std::vector<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1]))
    if (entry.path().extension() == ".ir") cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  int passed = 0, failed = 0;
  for (const auto& path : cases) (run_case(path, bless) ? passed : failed)++;
  // Every pass has a case.
  for (const Pass& pass : pipeline())
    if (!std::filesystem::exists(std::filesystem::path(argv[1]) / pass.name)) {
      std::printf("FAIL %s: no folder with cases\n", pass.name);
      ++failed;
    }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0 || passed == 0;
}
