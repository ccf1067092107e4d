// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of flags: "batch=1..8", "x=1x3xHx320", "h=hn,past.*=present.*". All throw UsageError.
#pragma once
#include <string>
#include <vector>

#include "compiler/driver/options.h"

namespace macec {

void add_dim(Options& options, const std::string& value);
void add_shape(Options& options, const std::string& value);
void add_set(Options& options, const std::string& value);
void add_bounds(Options& options, const std::string& value);
void add_states(Options& options, const std::string& value);
void add_io_type(Options& options, const std::string& value);
void add_place(Options& options, const std::string& value);
void add_fill(Options& options, const std::string& value);
void add_names(std::vector<std::string>* names, const std::string& value);

int number(const char* flag, const std::string& value, int lo, int hi);
double real(const char* flag, const std::string& value);  // >= 0
std::string one_of(const char* flag, const std::string& value,
                   const std::vector<std::string>& allowed);

// "8", "1..8", "32..960:32"; smallest: the least size allowed.
SizeRange parse_size(const std::string& flag, const std::string& text, int64_t smallest);

}  // namespace macec
