// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several models in one file share a command line: which flags are meant for which model.
#pragma once
#include <vector>

#include "compiler/driver/options.h"
#include "compiler/onnx/model.h"

namespace macec {

// The options of each model. --dim, --shape, --set, --io-type and --state go to the models that have what they name;
// what no model has goes to the first with something of that kind, whose import reports it. One model gets the options as they are.
std::vector<Options> options_of_models(const std::vector<Model>& models, const Options& options);

// Whether there are flags that are meant for some of the models only.
bool has_flags_of_models(const Options& options);

}  // namespace macec
