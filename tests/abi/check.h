/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts and prints what fails; for C and C++ programs of this folder. main() ends in `return check_result();`. */
#ifndef MACEC_TESTS_ABI_CHECK_H
#define MACEC_TESTS_ABI_CHECK_H
#include <stdio.h>
#include <string.h>

static int check_failures = 0;

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ++check_failures;                                                  \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
    }                                                                    \
  } while (0)

#define CHECK_TEXT(have, need)                                                              \
  do {                                                                                      \
    if (strcmp((have), (need)) != 0) {                                                      \
      ++check_failures;                                                                     \
      printf("%s:%d: have \"%s\"\n    need \"%s\"\n", __FILE__, __LINE__, (have), (need));  \
    }                                                                                       \
  } while (0)

static int check_result(void) { return check_failures ? 1 : 0; }

#endif
