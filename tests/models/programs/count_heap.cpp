// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts calls of the allocator during open, run and close of a model: there must be none.
#include "program.h"

namespace {
bool counting = false;
unsigned long calls = 0;
}  // namespace

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t n, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  calls += counting;
  return __libc_malloc(bytes);
}
void* calloc(size_t n, size_t bytes) {
  calls += counting;
  return __libc_calloc(n, bytes);
}
void* realloc(void* old, size_t bytes) {
  calls += counting;
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  calls += counting;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  calls += counting;
  *out = __libc_memalign(alignment, bytes);
  return *out == nullptr;
}
}

int main(int argc, char** argv) {
  program::Session session;
  session.open(program::parse(argc, argv));
  macec_close(session.context);

  counting = true;
  const macec_status opened = session.model->open(&session.context, session.memory.data(),
                                                  session.model->memory_bytes, nullptr);
  const macec_status ran =
      opened != MACEC_OK
          ? opened
          : macec_run(session.context, session.dims.empty() ? nullptr : session.dims.data(),
                      session.in.data(), session.out.data());
  macec_close(session.context);
  counting = false;

  session.check(ran, "open or run");
  std::printf("%lu calls of the allocator\n", calls);
  return calls == 0 ? 0 : 1;
}
