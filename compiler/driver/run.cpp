// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec run: builds the generated code, runs it once, prints the outputs.
#include <algorithm>
#include <cstdio>

#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data_sets.h"
#include "compiler/driver/fit_data.h"
#include "compiler/driver/npz.h"
#include "compiler/driver/one_model.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {

OneModel compile_one(const Options& options, Diagnostics& diag) {
  OneModel one;
  one.target = target_of(options);
  const Model model = load_model(options.files[0]);
  Options sized = options;
  DataSet data;
  if (!options.in.empty()) {
    for (auto& [name, tensor] : load_npz(options.in)) data.inputs[name] = std::move(tensor);
    const std::string why = fit_to_flags(options.import, &data);
    if (!why.empty()) throw user_error("'{}' does not fit: {}", printable(options.in), why);
    sized.import = sizes_from_data(model, data, options.import);
  }
  one.compilation.push_back(compile_model(model, sized, one.target, model_names(options)[0], diag));
  const Compilation& c = one.compilation[0];
  one.models.push_back(c.model);
  one.input =
      run_input(c.model, options.in.empty() ? make_inputs(c.imported, options, true) : data.inputs);
  return one;
}

static std::string first_values(const Tensor& tensor) {
  constexpr int64_t kMostValues = 8;
  std::vector<std::string> values;
  for (int64_t i = 0; i < std::min(tensor.count(), kMostValues); ++i)
    values.push_back(info(tensor.dtype).is_float ? fmt::format("{:.6g}", tensor.f64(i))
                                                 : std::to_string(tensor.i64(i)));
  if (tensor.count() > kMostValues) values.push_back("...");
  return join(values, " ");
}

int run_run(const Options& options, Diagnostics& diag) {
  const OneModel one = compile_one(options, diag);
  const CompiledModel& model = one.models[0];
  const Program program(one.models, one.target, options, false);
  std::string failure;
  const std::vector<RunOutput> results = program.run(0, {one.input}, false, &failure);
  if (!failure.empty()) throw InternalError(failure);
  if (results[0].status != 0) throw user_error("the run failed: {}", results[0].error);
  if (options.in.empty())
    std::printf("inputs made with --seed %llu\n", static_cast<unsigned long long>(options.seed));
  NamedTensors outputs;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const Tensor& tensor = results[0].outputs[i];
    std::printf("%s %s: %s\n", printable(model.outputs[i].name).c_str(),
                text(tensor.type()).c_str(), first_values(tensor).c_str());
    outputs.emplace_back(model.outputs[i].name, tensor);
  }
  if (!options.out.empty()) write_files({{options.out, npz_bytes(outputs)}}, true);
  return kDone;
}

}  // namespace macec
