// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the user's errors, so that one run reports all of them, and prints them in one form:
//
//   error: dimension 's53' has no size
//       at inputs 'input_ids' int64[batch,s53], 'attention_mask' int64[batch,s53], axis 1
//       hint: one size: --dim s53=128; a range the app picks from at run time: --dim s53=1..128
//   macec: 1 error in bert.onnx; nothing was written. For example, this compiles:
//       macec bert.onnx --target=armv8 --dim s53=1..128
#pragma once
#include <exception>
#include <string>
#include <vector>

#include "compiler/support/error.h"

namespace macec {

// Thrown when errors have been collected and going on makes no sense. Carries nothing: the errors are in Diagnostics.
struct Stop : std::exception {
  const char* what() const noexcept override { return "stopped by errors"; }
};

class Diagnostics {
 public:
  void add(const UserError& error) { errors_.push_back(error); }
  // place: "Conv '/a' (node 3 of 12): x float32[1,3,8,8]"; put before the places that the thrower named.
  void add(const UserError& error, const std::string& place);
  // Base name of the model that is worked on, where there are several.
  void set_file(std::string file) { file_ = std::move(file); }
  const std::string& file() const { return file_; }
  int count() const { return static_cast<int>(errors_.size()); }
  const std::vector<UserError>& errors() const { return errors_; }
  void stop_if_errors() const {
    if (!errors_.empty()) throw Stop();
  }
  // file: base name of the model. what_failed: "nothing was written" for a compilation. suggestion: what stands behind
  // that, ". For example, this compiles:\n    macec ..." or "".
  std::string report(const std::string& file, const std::string& what_failed,
                     const std::string& suggestion = "") const;

 private:
  std::vector<UserError> errors_;
  std::string file_;
};

// One error in the form above, without the last line.
std::string error_text(const UserError& error);

}  // namespace macec
