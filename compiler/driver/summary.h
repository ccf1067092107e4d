// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a successful compilation prints on stderr.
//
//   kws.cpp 212 KB, kws.h 9 KB   target x86-64 (this machine; a phone: --target=armv8)
//     in  audio float32[1,49,10]   out scores float32[1,12]   memory 23,104 bytes, weights 88 KB
//     kws_once(memory, sizeof memory, audio, scores)   build: g++ -O2 -c kws.cpp   check: macec verify kws.onnx
#pragma once
#include <string>

#include "compiler/driver/compile.h"

namespace macec {

std::string summary(const Outputs& outputs, const Options& options);

// Branches that no run can finish with these sizes, one line each.
std::vector<std::string> notes(const Graph& imported);
// "audio float32[1,49,10], ..." of at most six ports.
std::string ports_text(const std::vector<Port>& ports);
int64_t weight_bytes(const CompiledModel& model);

}  // namespace macec
