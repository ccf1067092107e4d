// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole model on the device, launch by launch. Not among the tests that run by themselves:
//
//   MACEC_MODEL=net.onnx [MACEC_TARGET=x86-64-adreno] macec_opencl_kernels "[model]"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "compiler/onnx/import.h"
#include "compiler/ops/registry.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

TEST_CASE("a model", "[.model]") {
  const char *path = std::getenv("MACEC_MODEL"), *name = std::getenv("MACEC_TARGET");
  REQUIRE(path);
  Diagnostics diag;
  const Graph graph = import_model(load_model(path), {}, diag);
  REQUIRE(diag.errors().empty());
  const std::vector<Tensor> inputs = made_up_inputs(graph);
  const Target target = find_target(name ? name : "x86-64-opencl");
  const OpenclResult result = run_on_opencl(target, {graph}, {inputs}, 5)[0];
  double sum = 0;
  std::map<std::string, double> by_file;
  for (size_t i = 0; i < result.seconds.size(); ++i) {
    std::printf("%9.1f us  %s\n", result.seconds[i] * 1e6, result.launches[i].c_str());
    by_file[result.launches[i].substr(0, result.launches[i].find(' '))] += result.seconds[i];
    sum += result.seconds[i];
  }
  for (const auto& [file, seconds] : by_file)
    std::printf("%9.1f us  %s\n", seconds * 1e6, file.c_str());
  std::printf("%9.1f us  in %d launches, %d images: %s on %s\n", sum * 1e6,
              static_cast<int>(result.seconds.size()), result.images, path, target.name.c_str());
  if (std::getenv("MACEC_SKIP_REFERENCE")) return;
  const std::vector<Tensor> want = evaluate_graph(graph, inputs);
  for (size_t o = 0; o < want.size(); ++o)
    check_close(result.outputs[o], want[o], want[o].dtype == DType::float16 ? 2e-2 : 1e-3);
}
