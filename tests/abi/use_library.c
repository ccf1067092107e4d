/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A model in a library that is opened at run time, beside one in the program: use_library ./libold.so */
#include <dlfcn.h>

#include "kws.h"
#include "check.h"

typedef const macec_model *(*model_function)(void);

int main(int argc, char **argv) {
  static unsigned char memory[8192], own[KWS_MEMORY_BYTES];
  void *library = dlopen(argc > 1 ? argv[1] : "./libold.so", RTLD_NOW | RTLD_LOCAL);
  model_function function = NULL;
  const macec_model *model;
  macec_ctx *c = NULL;
  float input[4] = {1, 2, 3, 4}, scores[2], frames[8] = {1, 1, 1, 1, 1, 1, 1, 1}, prob[2];
  const int64_t dims[3] = {1, 32, 0};
  macec_in in;
  macec_out out;
  if (!library) {
    puts(dlerror());
    return 1;
  }
  *(void **)&function = dlsym(library, "old_model");
  CHECK(function != NULL);
  if (!function) return 1;
  CHECK(dlsym(library, "old_weights") == NULL);
  model = function();
  CHECK(strcmp(model->name, "old") == 0 && model->memory_bytes <= sizeof memory);
  CHECK(model->open(&c, memory, sizeof memory, NULL) == MACEC_OK);
  in.data = frames;
  in.bytes = sizeof frames;
  out.data = prob;
  out.bytes = sizeof prob;
  CHECK(macec_run(c, dims, &in, &out) == MACEC_OK);
  CHECK(prob[0] == 8.25f);
  macec_close(c);
  CHECK(kws_once(own, sizeof own, input, scores) == MACEC_OK);
  dlclose(library);
  return check_result();
}
