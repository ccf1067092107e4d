// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The models of make_pair.cpp as sessions that know what is right.
#pragma once
#include "stub.h"

#include <cmath>

#include "session.h"

constexpr int kCount = 64;

struct Values {
  float at[kCount];
};
inline Values drawn(int seed) {
  Values v;
  for (int i = 0; i < kCount; ++i) v.at[i] = static_cast<float>((i * 7 + seed * 13) % 31 - 15) / 8;
  return v;
}
inline float weight_of(int i, float scale) {
  return scale * static_cast<float>(i + 1);
}

// Every value of the models' arithmetic is exact, so the GPU and the CPU agree to the bit.
struct Duo : Session {
  Values h{}, x{}, y{}, z{};
  float scale = 0.25f;
  bool wants_z = true;
  Duo() : Session(duo_model()) {}

  void prepare(int seed, macec_in* in, macec_out* out) {
    x = drawn(seed);
    for (float& f : y.at) f = -77;
    for (float& f : z.at) f = -77;
    in[0] = {x.at, sizeof x};
    out[0] = {y.at, sizeof y};
    out[1] = {wants_z ? z.at : nullptr, wants_z ? sizeof z : 0};
  }
  macec_status run(int seed) {
    macec_in in[1];
    macec_out out[2];
    prepare(seed, in, out);
    return model->run(context, nullptr, in, out);
  }
  macec_status submit(int seed) {
    macec_in in[1];
    macec_out out[2];
    prepare(seed, in, out);
    return macec_submit(context, nullptr, in, out);
  }
  // Whether the outputs are those of x and h; then h becomes the next state.
  bool is_right() {
    bool right = true;
    for (int i = 0; i < kCount; ++i) {
      const float t = (x.at[i] * weight_of(i, scale) + h.at[i] + 0.5f) * 2;
      right = right && y.at[i] == t + x.at[i] && (wants_z ? z.at[i] == t : z.at[i] == -77.0f);
      h.at[i] += x.at[i];
    }
    return right;
  }
  bool runs_right(int seed) { return run(seed) == MACEC_OK && is_right(); }
};

struct Solo : Session {
  Values p{}, q{};
  explicit Solo(const macec_model* m = solo_model()) : Session(m) {}

  macec_status run(int seed, float* memory = nullptr) {
    p = drawn(seed);
    q = Values();
    if (memory) memcpy(memory, p.at, sizeof p);
    const macec_in in = {memory ? memory : p.at, sizeof p};
    const macec_out out = {q.at, sizeof q};
    return model->run(context, nullptr, &in, &out);
  }
  float* input() { return static_cast<float*>(model->input(context, 0)); }
  bool is_right() const {
    bool right = true;
    for (int i = 0; i < kCount; ++i) right = right && q.at[i] == p.at[i] * weight_of(i, 0.25f) + 3;
    return right;
  }
  bool runs_right(int seed, float* memory = nullptr) {
    return run(seed, memory) == MACEC_OK && is_right();
  }
};
