// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recorded answer with which generated code checks a driver on first use.
#pragma once
#include <optional>
#include <string>

#include "compiler/driver/options.h"
#include "compiler/emit/emit.h"

namespace macec {

// What the imported graph makes of drawn inputs (runtime_stub/gpu_draw.h), by the reference meaning
// of its operators; free dimensions at their upper bounds, states zero. Nothing if the answer would
// not tell a broken driver from rounding, or takes too long to work out: *why says so.
std::optional<GpuCheck> record_check(const Graph& imported, const CompiledModel& model,
                                     const Options& options, std::string* why);

}  // namespace macec
