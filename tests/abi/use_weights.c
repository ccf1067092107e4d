/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether every weight of -DMODEL=... arrives: its steps count those that are right. With -DFILE_NAME, binds it. */
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#include TEXT(MODEL.h)
#include "check.h"

#define FUNCTION(name) PASTE(MODEL, name)

int main(int argc, char **argv) {
  static unsigned char memory[1024];
  const float input[4] = {5, 0, 0, 0};
  float scores[2] = {0, 0};
  PASTE(MODEL, _ctx) *m = NULL;
  macec_options options = macec_defaults();
  macec_weights weights = {NULL, NULL, 0, NULL};
  static unsigned int blob[32768];
  if (argc > 1) {
    FILE *file = fopen(argv[1], "rb");
    size_t bytes = file ? fread(blob, 1, sizeof blob, file) : 0;
    if (file) fclose(file);
    CHECK(FUNCTION(_model)()->bind(&weights, blob, bytes, 1, NULL) == MACEC_OK);
    options.weights = &weights;
  }
  CHECK(FUNCTION(_open)(&m, memory, sizeof memory, &options) == MACEC_OK);
  if (!m) return 1;
  CHECK(FUNCTION(_run)(m, input, scores) == MACEC_OK);
  CHECK(scores[0] == 5 && scores[1] == 20001);
  FUNCTION(_close)(m);
  return check_result();
}
