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

#ifdef __cplusplus
#include <string>
static inline const char *check_chars(const std::string &s) { return s.c_str(); }
static inline const char *check_chars(const char *s) { return s; }
#else
#define check_chars(s) (s)
#endif
#define CHECK_TEXT(have, need)                                                               \
  do {                                                                                       \
    if (strcmp(check_chars(have), check_chars(need)) != 0) {                                 \
      ++check_failures;                                                                      \
      printf("%s:%d: have \"%s\"\n    need \"%s\"\n", __FILE__, __LINE__, check_chars(have), \
             check_chars(need));                                                             \
    }                                                                                        \
  } while (0)

static int check_result(void) { return check_failures ? 1 : 0; }

#endif
