// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this ARM processor can do, as the operating system says. Asked at open only.
//
// MACEC_HAS_FEATURE(bit of AT_HWCAP, bit of AT_HWCAP2 (-1: none), Apple's sysctl name, predefined
// macro). Pasted into the unnamed namespace of a generated .cpp behind the steps, if a level needs
// it; the prelude includes <sys/auxv.h> or <sys/sysctl.h>.
#pragma once
// Processor features, as the operating system reports them.
#if defined(__linux__)
bool has_feature(int bit, int bit2) {
  const unsigned long one = 1;
  return (bit >= 0 && (getauxval(AT_HWCAP) & one << bit) != 0) ||
         (bit2 >= 0 && (getauxval(AT_HWCAP2) & one << bit2) != 0);
}
#define MACEC_HAS_FEATURE(bit, bit2, apple, compiled) has_feature(bit, bit2)
#elif defined(__APPLE__)
bool has_feature(const char* name) {
  int value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && value != 0;
}
#define MACEC_HAS_FEATURE(bit, bit2, apple, compiled) has_feature(apple)
#else
// Nobody to ask: the code has what it was compiled for. A macro that is not defined is an unknown
// word here, so its text tells: "1" if defined.
#define MACEC_TEXT(x) #x
#define MACEC_HAS_FEATURE(bit, bit2, apple, compiled) (MACEC_TEXT(compiled)[0] == '1')
#endif
