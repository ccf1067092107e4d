// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of reduce.h. A is what partial results are kept in: Vf, or the wide scalar of the
// element type.
//
//   init(low, high)    the partial result over nothing; low and high: the extremes of the element
//   type step(acc, x, shift), merge(acc, acc) finish(acc, n)     the result, given the number of
//   elements as an A lanes(acc)         the partial results of all lanes merged kShifted shift is
//   the maximum and is taken off each x (LogSumExp); finish gets it put back by the kernel
#pragma once
#include "math.h"

// float for the float storage types, double, and 64-bit integers for integers.
template <class T>
struct WideOf {
  using Type = int64_t;
};
template <>
struct WideOf<uint64_t> {
  using Type = uint64_t;
};
template <>
struct WideOf<double> {
  using Type = double;
};
template <>
struct WideOf<float> {
  using Type = float;
};
template <>
struct WideOf<half_t> {
  using Type = float;
};
template <>
struct WideOf<bfloat16_t> {
  using Type = float;
};
template <class T>
using Wide = typename WideOf<T>::Type;

// The functions of math.h and vocabulary.h, and what they are for double and integers.
MACEC_INLINE Vf wide_max(Vf a, Vf b) {
  return max(a, b);
}
MACEC_INLINE Vf wide_min(Vf a, Vf b) {
  return min(a, b);
}
MACEC_INLINE Vf wide_abs(Vf a) {
  return abs(a);
}
MACEC_INLINE Vf wide_sqrt(Vf a) {
  return sqrt(a);
}
MACEC_INLINE Vf wide_log(Vf a) {
  return log(a);
}
MACEC_INLINE Vf wide_exp(Vf a) {
  return exp(a);
}
template <class A>
MACEC_INLINE A wide_max(A a, A b) {
  return a != a ? a : a > b ? a : b;
}
template <class A>
MACEC_INLINE A wide_min(A a, A b) {
  return a != a ? a : a < b ? a : b;
}
template <class A>
MACEC_INLINE A wide_abs(A a) {
  return a < A(0) ? A(0) - a : a;
}
template <class A>
MACEC_INLINE A wide_sqrt(A a) {
  return static_cast<A>(::sqrt(static_cast<double>(a)));
}
template <class A>
MACEC_INLINE A wide_log(A a) {
  return static_cast<A>(::log(static_cast<double>(a)));
}
template <class A>
MACEC_INLINE A wide_exp(A a) {
  return static_cast<A>(::exp(static_cast<double>(a)));
}
template <class A>
MACEC_INLINE A wide_divide(A a, A n) {
  return a / n;
}
MACEC_INLINE int64_t wide_divide(int64_t a, int64_t n) {
  return n == 0 ? 0 : a / n;
}
MACEC_INLINE uint64_t wide_divide(uint64_t a, uint64_t n) {
  return n == 0 ? 0 : a / n;
}

template <class A>
struct Number {
  static A of(int v) { return static_cast<A>(v); }
};
template <>
struct Number<Vf> {
  static Vf of(int v) { return splat<Vf>(static_cast<float>(v)); }
};

struct SumLike {
  [[maybe_unused]] static constexpr bool kShifted = false;
  template <class A>
  static A init(A, A) {
    return Number<A>::of(0);
  }
  template <class A>
  static A merge(A a, A b) {
    return a + b;
  }
  template <class A>
  static A finish(A acc, A) {
    return acc;
  }
  static float lanes(Vf acc) { return sum(acc); }
};

struct ReduceSum : SumLike {
  template <class A>
  static A step(A acc, A x, A) {
    return acc + x;
  }
};
struct ReduceMean : ReduceSum {
  template <class A>
  static A finish(A acc, A n) {
    return wide_divide(acc, n);
  }
};
struct ReduceLogSum : ReduceSum {
  template <class A>
  static A finish(A acc, A) {
    return wide_log(acc);
  }
};
struct ReduceSumSquare : SumLike {
  template <class A>
  static A step(A acc, A x, A) {
    return acc + x * x;
  }
};
struct ReduceL2 : ReduceSumSquare {
  template <class A>
  static A finish(A acc, A) {
    return wide_sqrt(acc);
  }
};
struct ReduceL1 : SumLike {
  template <class A>
  static A step(A acc, A x, A) {
    return acc + wide_abs(x);
  }
};
struct ReduceLogSumExp : SumLike {
  [[maybe_unused]] static constexpr bool kShifted = true;
  template <class A>
  static A step(A acc, A x, A shift) {
    return acc + wide_exp(x - shift);
  }
  template <class A>
  static A finish(A acc, A) {
    return wide_log(acc);
  }
};
struct ReduceMax {
  [[maybe_unused]] static constexpr bool kShifted = false;
  template <class A>
  static A init(A low, A) {
    return low;
  }
  template <class A>
  static A step(A acc, A x, A) {
    return wide_max(acc, x);
  }
  template <class A>
  static A merge(A a, A b) {
    return wide_max(a, b);
  }
  template <class A>
  static A finish(A acc, A) {
    return acc;
  }
  static float lanes(Vf acc) { return max_lane(acc); }
};
struct ReduceMin {
  [[maybe_unused]] static constexpr bool kShifted = false;
  template <class A>
  static A init(A, A high) {
    return high;
  }
  template <class A>
  static A step(A acc, A x, A) {
    return wide_min(acc, x);
  }
  template <class A>
  static A merge(A a, A b) {
    return wide_min(a, b);
  }
  template <class A>
  static A finish(A acc, A) {
    return acc;
  }
  static float lanes(Vf acc) { return min_lane(acc); }
};
struct ReduceProd {
  [[maybe_unused]] static constexpr bool kShifted = false;
  template <class A>
  static A init(A, A) {
    return Number<A>::of(1);
  }
  template <class A>
  static A step(A acc, A x, A) {
    return acc * x;
  }
  template <class A>
  static A merge(A a, A b) {
    return a * b;
  }
  template <class A>
  static A finish(A acc, A) {
    return acc;
  }
  static float lanes(Vf acc) {
    float lane[kLanes];
    store(lane, acc, Full{});
    for (int i = 1; i < kLanes; ++i) lane[0] *= lane[i];
    return lane[0];
  }
};
