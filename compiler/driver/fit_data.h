// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded data belongs to the model as its file has it. Here it is made to fit the model that flags make of that.
#pragma once
#include <string>

#include "compiler/driver/data_sets.h"

namespace macec {

// Converts to the element types of --io-type, and takes out what cannot be compared with the changed model: the outputs,
// if --set or --io-type gives an input another value, or --outputs names one that was not recorded; inputs and
// outputs, if --inputs names one that was not. Returns why, "" if all is left.
std::string fit_to_flags(const ImportOptions& flags, DataSet* set);

}  // namespace macec
