// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A generated model as a small C library that bench.py loads: open once, run with pointers, real
// shapes of the outputs.
#include MODEL_HEADER

#include "runtime_stub/macec_threads.h"

#include <cstdlib>

namespace {
const macec_model* model() {
  return MODEL_FUNCTION();
}
macec_ctx* context = nullptr;
void* memory = nullptr;
macec_pool pool;
}  // namespace

extern "C" {

int bench_open(unsigned level, unsigned threads) {
  if (context != nullptr) macec_close(context);
  context = nullptr;
  std::free(memory);
  memory = std::malloc(model()->memory_bytes);
  macec_options options = macec_defaults();
  options.level = level;
  if (threads > 1) {
    options.threads = macec_pool_start(&pool, threads);
    options.parallel_for = macec_pool_parallel_for;
    options.user = &pool;
  }
  return model()->open(&context, memory, model()->memory_bytes, &options);
}

size_t bench_output_bytes(unsigned i) {
  return model()->out[i].max_bytes;
}

int bench_run(const int64_t* dims, const void* const* inputs, const size_t* input_bytes,
              void* const* outputs) {
  macec_in in[16];
  macec_out out[16];
  if (model()->n_in > 16 || model()->n_out > 16) return MACEC_E_ARG;
  for (unsigned i = 0; i < model()->n_in; ++i) in[i] = {inputs[i], input_bytes[i]};
  for (unsigned i = 0; i < model()->n_out; ++i) out[i] = {outputs[i], model()->out[i].max_bytes};
  return macec_run(context, dims, in, out);
}
}
