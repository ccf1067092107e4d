// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/npz.h"

#include <fstream>

#include "compiler/support/error.h"
#include "compiler/support/files.h"
#include "tests/catch.h"

using namespace macec;

static NamedTensors read_back(const std::string& bytes) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/a.npz", std::ios::binary) << bytes;
  return load_npz(folder.path() + "/a.npz");
}

TEST_CASE("what npz_bytes writes load_npz reads") {
  const NamedTensors tensors = {{"x", Tensor::vector_f32({1, 2, 3, 4}, {2, 2})},
                                {"n", Tensor::scalar_i64(-7)},
                                {"empty", Tensor(DType::uint8, {0, 3})}};
  CHECK(read_back(npz_bytes(tensors)) == tensors);
}

TEST_CASE("an archive that is cut off is refused at every length") {
  const std::string bytes = npz_bytes({{"x", Tensor::vector_f32({1, 2}, {2})}});
  for (size_t length = 0; length + 1 < bytes.size(); length += 7) {
    INFO(length);
    CHECK_THROWS_AS(read_back(bytes.substr(0, length)), UserError);
  }
}
