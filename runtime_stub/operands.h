// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of a step's operands.
#pragma once
#include "runtime_stub/context.h"

template <class T>
T* arena(const Context& c, size_t offset) {
  return reinterpret_cast<T*>(c.arena + offset);
}
template <class T>
const T* weight(const Context& c, size_t offset) {
  return reinterpret_cast<const T*>(c.weights + offset);
}
template <class T>
const T* input(const Context& c, size_t index) {
  return static_cast<const T*>(c.in[index]);
}
template <class T>
T* output(const Context& c, size_t index) {
  return static_cast<T*>(c.out[index]);
}
template <class T>
const T* state(const Context& c, size_t index) {
  return reinterpret_cast<const T*>(c.state[index]);
}
template <class T>
T* next_state(const Context& c, size_t index) {
  return reinterpret_cast<T*>(c.next_state[index]);
}
