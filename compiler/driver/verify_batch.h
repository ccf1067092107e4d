// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some models of a verification that share one program.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "compiler/driver/options.h"
#include "targets/target.h"

namespace macec {

enum class Status { passed, wrong, refused, failed };
inline const char* name(Status status) {
  constexpr const char* kNames[] = {"passed", "wrong", "refused", "failed"};
  return kNames[static_cast<int>(status)];
}

// One model of the command line.
struct Subject {
  std::string path;         // as given
  std::string model, data;  // files; data may be empty
  Options options;          // those meant for it: see options_of_models
  Status status = Status::passed;
  std::string text;
  int sets = 0, outputs = 0;
  double worst = 0;
  bool by_evaluator = false, is_bug = false;
  std::string no_reference;  // why flags leave recorded outputs without use, see fit_data.h
  std::string place;      // where it ran: see RunOutput
  std::string constants;  // inputs that were made constants, with their data's values

  void fail(Status s, const std::string& why) {
    status = std::max(status, s);
    text += (text.empty() ? "" : "\n") + why;
  }
};

// Compiles, builds, runs and compares; what comes out stands in the subjects. Throws UserError if a tool is missing.
void verify_batch(const std::vector<Subject*>& subjects, const Options& options,
                  const Target& target);

}  // namespace macec
