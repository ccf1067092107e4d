// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes small generated pairs without a compiler behind them: make_pairs OUT_DIR writes vad.h and
// vad.cpp.
#include <fstream>
#include <iostream>

#include "compiler/emit/interface.h"

using namespace macec;

static void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

int main(int, char** argv) {
  const std::string folder = argv[1];
  ModelInterface vad;
  vad.name = "vad";
  vad.compiler = "macec 0.1.0";
  vad.target = "x86-64";
  vad.build = 0x52ae1907;
  vad.arena_bytes = 1024;
  vad.max_threads = 4;
  vad.dims = {{"frames", "", 1, 32, 1}, {"height", "", 32, 96, 32}};
  vad.inputs = {{"audio", "", 1, {dim_extent(0), fixed_extent(8)}, 1024, false, {}, {}, -1}};
  vad.outputs = {{"Prob:0",
                  "",
                  1,
                  {computed_extent("frames + 1", "frames+1"), fixed_extent(1)},
                  132,
                  false,
                  {},
                  {},
                  -1}};
  vad.states = {{"h", 1, {fixed_extent(6)}, {fixed_extent(6)}, 24}};
  vad.checks = {{"frames", "frames", "axis 0 of 'audio'", "axis 1 of 'x'"}};
  vad.levels = {{"x86-64", {}, {"vad::run"}}, {"x86-64-v3", {"avx2", "fma", "f16c"}, {"vad::run"}}};
  assign_identifiers(vad);
  GeneratedPair pair{"vad.h", {"vad: written by macec"}, {}, true, {vad}};
  write(folder + "/vad.h", write_header(pair));
  write(folder + "/vad.cpp",
        write_source_prelude(pair) +
            "namespace { namespace vad { macec_status run(Context& c) { return c.status; } } }\n" +
            write_interface_source(pair));
}
