// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several models in one file share a command line: which flags are meant for which model.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "compiler/driver/options.h"
#include "compiler/onnx/model.h"

namespace macec {

// What flags can name in one model.
struct FlagNames {
  std::set<std::string> dims, inputs, values;  // values: inputs and outputs
};
FlagNames flag_names(const Model& model, const ImportOptions& options);

// The options of each model. --dim, --shape, --set, --io-type and --state go to the models that have what they name;
// what no model has goes to the first with something of that kind, whose import reports it. One model gets the options as they are.
std::vector<Options> options_of_models(const std::vector<FlagNames>& models,
                                       const Options& options);
// Whether there are flags that are meant for some of the models only.
bool has_flags_of_models(const Options& options);

}  // namespace macec
