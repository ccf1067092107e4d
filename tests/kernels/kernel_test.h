// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the tile kernels share: buffers that trap a step outside, random numbers, and
// a count of failures. Plain programs, so that the same file runs under an emulator.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <string>
#include <vector>

// `count` elements that end where an unreadable page begins: reading or writing one element too far
// ends the program. Bytes before the first element are checked by intact().
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t count) : count_(count) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    size_ = (bytes + kCanary + page - 1) / page * page + page;
    base_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + size_ - page, page, PROT_NONE) != 0) abort();
    data_ = reinterpret_cast<T*>(base_ + size_ - page - bytes);
    memset(base_ + size_ - page - bytes - kCanary, 0x5a, kCanary + bytes);
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { munmap(base_, size_); }

  T* data() { return data_; }
  T& operator[](int64_t i) { return data_[i]; }
  int64_t size() const { return count_; }
  bool intact() const {
    for (size_t i = 1; i <= kCanary; ++i) {
      if (reinterpret_cast<const char*>(data_)[-static_cast<ptrdiff_t>(i)] != 0x5a) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kCanary = 64;
  int64_t count_;
  size_t size_;
  char* base_;
  T* data_;
};

// Scratch of exactly `bytes`, 64-byte aligned, with canaries around.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {
    const size_t size = (bytes_ + 63) / 64 * 64 + 128;
    base_ = static_cast<unsigned char*>(aligned_alloc(64, size));
    memset(base_, 0x5a, size);
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() { free(base_); }
  void* data() { return bytes_ == 0 ? nullptr : base_ + 64; }
  bool intact() const {
    for (size_t i = 0; i < 64; ++i) {
      if (base_[i] != 0x5a || base_[64 + bytes_ + i] != 0x5a) return false;
    }
    return true;
  }

 private:
  size_t bytes_;
  unsigned char* base_;
};

// Multiples of 1/64 in [-1, 1): sums of products stay nearly exact in float.
inline float random_float() {
  static uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return static_cast<float>(static_cast<int32_t>(state >> 25) - 64) / 64.0f;
}
template <class Buffer>
void fill_random(Buffer& buffer) {
  for (int64_t i = 0; i < buffer.size(); ++i) buffer[i] = random_float();
}

inline int& failures() {
  static int count = 0;
  return count;
}
inline void check(bool ok, const std::string& what) {
  if (ok) return;
  if (++failures() <= 20) printf("FAILED %s\n", what.c_str());
}
inline void check_close(double got, double want, double tolerance, const std::string& what) {
  if (fabs(got - want) <= tolerance) return;
  char text[96];
  snprintf(text, sizeof text, ": %.9g instead of %.9g", got, want);
  check(false, what + text);
}
inline int report(const char* program) {
  printf("%s: %s (%d failures)\n", program, failures() == 0 ? "ok" : "FAILED", failures());
  return failures() == 0 ? 0 : 1;
}
inline std::string text(const char* name, int64_t value) {
  return std::string(" ") + name + "=" + std::to_string(value);
}
