// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded inputs and outputs of a model, and inputs that macec makes itself.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/driver/compare.h"
#include "compiler/driver/options.h"
#include "compiler/driver/program.h"
#include "compiler/onnx/model.h"

namespace macec {

struct DataSet {
  std::string name;                               // "test_data_set_0", "example.npz"
  std::map<std::string, Tensor> inputs, outputs;  // by the model's names
};

// A folder with input_K.pb and output_K.pb, a folder of such folders (test_data_set_*), or an .npz named by inputs and outputs.
// Throws UserError that names the file: nothing there, cut off, missing, one too many.
std::vector<DataSet> load_data_sets(const std::string& path, const Model& model,
                                    const ImportOptions& flags);
bool has_data_sets(const std::string& folder);
// tolerance.txt in the folder ("rtol atol"), else the flags, else the default.
Tolerance tolerance_of(const std::string& folder, const Options& options);

// Sizes of free dimensions as the data has them, for those that no flag gives. A declared 0 is free if the data says otherwise.
ImportOptions sizes_from_data(const Model& model, const DataSet& data, ImportOptions options);

// The sizes of model.symbols, and the tensors of model.inputs, from tensors by name. Throws UserError for what does not fit.
RunInput run_input(const CompiledModel& model, const std::map<std::string, Tensor>& tensors);

// Inputs of all kinds that the graph allows: floats in -1..1, indices below the extent of what they index, masks of 0 and 1;
// --fill decides. at_upper: free dimensions at their upper bounds, else at the lower ones.
// The range of an integer input among them, both ends included.
std::pair<int64_t, int64_t> integer_range_of(const Graph& graph, ValueId input,
                                             const Options& options);
std::map<std::string, Tensor> make_inputs(const Graph& graph, const Options& options,
                                          bool at_upper);

}  // namespace macec
