// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of one or a few nodes, computed by the OpenCL rows of a target and compared with the
// reference.
//
//   check_on_opencl("x86-64-adreno", {{"relu", R"(graph "g" (%x: float32[4,8]) -> (%y) {
//     %y: float32[4,8] = Relu(%x)
//   })"}});
//
// All cases of one check are one OpenCL program: building programs is what takes the time. A graph
// whose first input is channels-last ("float32[1,8,5,5]@cl") has all results so: its window nodes
// stand alone, without changes of layout around them.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "targets/target.h"

namespace macec {

struct OpenclCase {
  std::string name;
  std::string graph;                // as in compiler/ir/text.h
  double tolerance = 0;             // of the output's greatest magnitude; 0: 1e-4, 2e-3 for float16
  std::vector<Tensor> inputs = {};  // empty: numbers between -1 and 1, small integers, truths
};

// What became of a case.
struct OpenclResult {
  std::vector<Tensor> outputs;
  std::vector<std::string> rows;      // names of the rows of all steps, in order
  int32_t problem = 0;                // the number, from 1, of a step that reported one
  int images = 0;                     // buffers and weights that were in images
  std::vector<double> seconds;        // of each launch
  std::vector<std::string> launches;  // file, sizes and node of each launch
};

// Runs the cases on a target with an OpenCL half: passes, plan, one memory object for each buffer.
// Where the target prefers images, everything that can be one is one, inputs and outputs too.
// repeats: each case runs so often; seconds are the least of each launch.
std::vector<OpenclResult> run_on_opencl(const Target& target, const std::vector<Graph>& graphs,
                                        const std::vector<std::vector<Tensor>>& inputs,
                                        int repeats = 1);

// CHECKs type, shape and contents. tolerance: of the greatest magnitude, for floats.
void check_close(const Tensor& got, const Tensor& want, double tolerance);

// Inputs as OpenclCase says for an empty list.
std::vector<Tensor> made_up_inputs(const Graph& graph);

// Runs the cases and CHECKs every output; returns the results. The rows that a case must take can
// be seen in them.
std::vector<OpenclResult> check_on_opencl(const std::string& target,
                                          const std::vector<OpenclCase>& cases);

}  // namespace macec
