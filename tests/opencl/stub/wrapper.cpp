// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec.hpp over a model with a GPU plan, without exceptions and RTTI: wrapper MOCK
#include "models.h"

#include "macec.hpp"

int main(int argc, char** argv) {
  if (argc < 2 || !load_mock(argv[1])) return 2;
  macec_opencl opencl = macec_opencl_defaults();
  opencl.library = argv[1];
  macec_options options = macec_defaults();
  options.next = &opencl;
  Values p = drawn(1), q{};
  {
    macec::Context solo(solo_model(), options);
    CHECK(solo && solo.is_on_gpu() && solo.report().reason == MACEC_OK);
    float* const memory = static_cast<float*>(solo.input(0));
    CHECK(memory != nullptr);
    memcpy(memory, p.at, sizeof p);
    CHECK(solo.run({}, {{memory, kCount}}, {q.at}) == MACEC_OK);
    for (int i = 0; i < kCount; ++i) CHECK(q.at[i] == p.at[i] * weight_of(i, 0.25f) + 3);
    q = Values();
    CHECK(solo.submit({}, {p.at}, {q.at}) == MACEC_PENDING);
    CHECK(solo.wait() == MACEC_OK);
    for (int i = 0; i < kCount; ++i) CHECK(q.at[i] == p.at[i] * weight_of(i, 0.25f) + 3);
  }
  macec::Context plain(plain_model(), options);
  CHECK(plain && !plain.is_on_gpu() && plain.input(0) == nullptr);
  CHECK(plain.submit({}, {p.at}, {q.at}) == MACEC_OK && plain.wait(5) == MACEC_OK);
  CHECK(live_objects() == 0);
  return check_result();
}
