// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model twice with the same inputs and writes the outputs of the second run; both must be
// equal. Prints `output I dtype D shape AxBxC` for each, and fails if a byte behind an output was
// touched.
#include "program.h"

int main(int argc, char** argv) {
  const program::Arguments arguments = program::parse(argc, argv);
  program::Session session;
  session.open(arguments);
  session.run();
  const auto first = session.output;
  session.run();
  for (uint32_t i = 0; i < session.model->n_out; ++i) {
    const size_t bytes = session.bytes(i);
    const unsigned char* data = session.output[i].data();
    if (std::memcmp(data, first[i].data(), bytes) != 0)
      program::die("the second run differs from the first");
    if (session.output[i].back() != 0xee) program::die("a byte behind an output was written");
    std::printf("output %u dtype %d shape ", i, session.model->out[i].dtype);
    const char* separator = "";
    for (int64_t extent : session.shape(i)) {
      std::printf("%s%lld", separator, static_cast<long long>(extent));
      separator = "x";
    }
    std::printf("\n");
    if (i < arguments.outputs.size()) program::write_file(arguments.outputs[i], data, bytes);
  }
  macec_close(session.context);
  return 0;
}
