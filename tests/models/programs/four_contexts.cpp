// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs four contexts of one model, weights shared, in four threads at once; all give the same bytes
// as one alone.
#include "program.h"

#include <thread>

int main(int argc, char** argv) {
  const program::Arguments arguments = program::parse(argc, argv);
  program::Session alone;
  alone.open(arguments);
  alone.run();

  constexpr int kContexts = 4, kRuns = 2;
  std::vector<program::Session> sessions(kContexts);
  std::vector<std::thread> threads;
  for (auto& session : sessions) {
    threads.emplace_back([&session, &arguments] {
      session.open(arguments);
      for (int i = 0; i < kRuns; ++i) session.run();
    });
  }
  for (auto& thread : threads) thread.join();

  for (auto& session : sessions) {
    for (uint32_t i = 0; i < alone.model->n_out; ++i) {
      if (std::memcmp(session.output[i].data(), alone.output[i].data(), alone.bytes(i)) != 0)
        program::die("contexts differ");
    }
    macec_close(session.context);
  }
  macec_close(alone.context);
  std::printf("%d contexts agree\n", kContexts);
  return 0;
}
