// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec.hpp on generated pairs; also without exceptions and RTTI.
#include "kws.h"
#include "macec.hpp"
#include "vad.h"

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.h"

static void containers_are_inputs_and_outputs() {
  macec::Context kws(kws_model());
  CHECK(kws);
  const std::vector<float> audio = {1, 2, 3, 4};
  std::array<float, 2> scores = {0, 0};
  CHECK(kws.run({}, {audio}, {scores}) == MACEC_OK);
  CHECK(scores[0] == 3 && scores[1] == 11);
  float plain[2];
  CHECK(kws.run({}, {{audio.data(), audio.size()}}, {plain}) == MACEC_OK);
  CHECK(plain[1] == 11);
  CHECK(kws_run(kws.as<kws_ctx>(), audio.data(), plain) == MACEC_OK);
  CHECK((kws.shape(0) == std::vector<std::int64_t>{2}));
  CHECK(kws.shape(7).empty());
}

static void failures_have_a_text() {
  macec::Context kws(kws_model());
  std::vector<float> audio(3), scores(2);
  CHECK(kws.error_text().empty());
  CHECK(kws.run({}, {audio}, {scores}) == MACEC_E_SMALL);
  CHECK_TEXT(kws.error_text(), "kws: bytes of input 'audio': have 12, need 16 (error -4)");
  CHECK(kws.run({}, {audio, audio}, {scores}) == MACEC_E_ARG);
  CHECK_TEXT(kws.error_text(), "kws: number of inputs: have 2, need 1 (error -1)");
  CHECK(kws.run({}, {audio}, {nullptr}) == MACEC_E_SMALL);
  macec::Context vad(vad_model());
  CHECK(!vad);
  CHECK_TEXT(vad.error_text(),
             "vad: no weights: bind a weights file and pass it in options.weights (error -33)");
  CHECK(vad.run({1, 32, 0}, {audio}, {scores}) == MACEC_E_ARG);
  CHECK(vad.reset() == MACEC_E_ARG);
}

static void contexts_move(const std::string& blob) {
  macec::Weights weights(vad_model(), blob.data(), blob.size(), true);
  CHECK(weights);
  CHECK(macec::Weights(vad_model(), blob.data(), 10).status() == MACEC_E_SMALL);
  macec_options options = macec_defaults();
  options.weights = weights.get();
  std::vector<unsigned char> memory(vad_model()->memory_bytes);
  macec::Context first(vad_model(), options, memory.data()), second(vad_model(), options);
  const std::vector<float> audio(8, 1);
  std::array<float, 2> prob;
  CHECK(first.run({1, 32, 0}, {audio}, {prob}) == MACEC_OK);
  macec::Context moved(std::move(first));
  CHECK(!first);
  CHECK(moved.run({1, 32, 1}, {audio}, {prob}) == MACEC_OK);
  CHECK(prob[0] == 9.25f);
  moved = std::move(second);
  CHECK(moved.run({1, 32, 0}, {audio}, {prob}) == MACEC_OK);
  CHECK(prob[0] == 8.25f);
  CHECK(moved.use(weights) == MACEC_OK);
  CHECK(moved.reset() == MACEC_OK);
  CHECK(moved.model().n_dim == 3);
}

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "vad.weights.bin", std::ios::binary);
  containers_are_inputs_and_outputs();
  failures_have_a_text();
  contexts_move(std::string(std::istreambuf_iterator<char>(file), {}));
  return check_result();
}
