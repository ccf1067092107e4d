// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form in which a file may store a weight, right and wrong.
#include <filesystem>
#include <fstream>

#include "compiler/onnx/import.h"
#include "compiler/support/files.h"
#include "tests/catch.h"
#include "tests/unit/onnx_bytes.h"

namespace {

using namespace macec;
namespace ob = onnx_bytes;

constexpr int kInt32 = 6, kUint8 = 2, kFloat16 = 10, kInt4 = 22;

// The weight as the importer reads it: it is the output of a model without nodes.
struct Read {
  TensorPtr tensor;
  std::string error;
};
Read read(const ob::Message& weight, int dtype, const std::string& folder = ".") {
  const ob::Graph graph{{}, {}, {ob::value("w", dtype, {})}, {weight}};
  Diagnostics diag;
  const Graph imported = import_model(parse_model(ob::model(graph), "m.onnx", folder), {}, diag);
  if (diag.count()) return {nullptr, diag.errors()[0].text()};
  return {imported.value(imported.outputs[0]).constant, ""};
}

ob::Message external(const std::string& location, int64_t offset, int64_t length) {
  const auto entry = [](const std::string& key, const std::string& value) {
    return ob::Message().text(1, key).text(2, value);
  };
  ob::Message m = ob::tensor("w", kUint8, {4});
  m.message(13, entry("location", location)).message(13, entry("offset", std::to_string(offset)));
  if (length >= 0) m.message(13, entry("length", std::to_string(length)));
  return m.number(14, 1);
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("raw data of the wrong size is refused") {
  CHECK(read(ob::raw_tensor<float>("w", ob::kFloat, {4}, {1, 2, 3}), ob::kFloat).error ==
        "raw_data has 12 bytes, but 4 elements of float32 need 16");
}

TEST_CASE("float16 is stored in int32_data as bits") {
  const Read r = read(ob::tensor("w", kFloat16, {2}).text(5, "\x80\x78\x80\x80\x03"),
                      kFloat16);  // 0x3c00, 0xc000
  REQUIRE(r.tensor);
  CHECK(r.tensor->f64(0) == 1.0);
}

TEST_CASE("an odd number of int4 elements takes half a byte more") {
  const Read r = read(ob::raw_tensor<unsigned char>("w", kInt4, {3}, {0x21, 0x0f}), kInt4);
  REQUIRE(r.tensor);
  CHECK(to_i64(*r.tensor) == std::vector<int64_t>{1, 2, -1});
}

TEST_CASE("an element count that overflows is refused before anything is allocated") {
  CHECK(read(ob::tensor("w", ob::kFloat, {int64_t{1} << 30, int64_t{1} << 30, int64_t{1} << 30}),
             ob::kFloat)
            .error == "a weight has too many elements");
}

TEST_CASE("a shape without data is refused") {
  CHECK(read(ob::tensor("w", ob::kFloat, {1 << 30}), ob::kFloat).error ==
        "it has 1073741824 elements, but no data");
}

TEST_CASE("a negative extent is refused") {
  CHECK(read(ob::tensor("w", ob::kFloat, {-1}), ob::kFloat).error ==
        "a weight has the negative extent -1");
}

TEST_CASE("typed values must be as many as the shape says") {
  CHECK(read(ob::tensor("w", kInt32, {3}).text(5, "\x01\x02"), kInt32).error ==
        "int32_data has 2 values, but the shape needs 3");
}

TEST_CASE("external data is read at its offset") {
  const TemporaryFolder folder;
  write(folder.path() + "/d.bin", std::string("\x09\x09\x01\x02\x03\x04", 6));
  const Read r = read(external("d.bin", 2, 4), kUint8, folder.path());
  REQUIRE(r.tensor);
  CHECK(to_i64(*r.tensor) == std::vector<int64_t>{1, 2, 3, 4});
}

TEST_CASE("external data may lie in a folder below the model") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/sub");
  write(folder.path() + "/sub/d.bin", "abcd");
  CHECK(read(external("sub/d.bin", 0, -1), kUint8, folder.path()).tensor);
}

TEST_CASE("external data behind the end of its file is refused") {
  const TemporaryFolder folder;
  write(folder.path() + "/d.bin", "abcd");
  CHECK(read(external("d.bin", 1, 4), kUint8, folder.path()).error.find("that file has 4") !=
        std::string::npos);
}

TEST_CASE("external data outside the model's folder is refused by name") {
  const TemporaryFolder folder;
  CHECK(read(external("../d.bin", 0, 4), kUint8, folder.path()).error.find("climbs out") !=
        std::string::npos);
}

TEST_CASE("an absolute path of external data is refused") {
  const TemporaryFolder folder;
  CHECK(read(external("/etc/passwd", 0, 4), kUint8, folder.path()).error.find("absolute") !=
        std::string::npos);
}

TEST_CASE("a link that leads out of the model's folder is refused") {
  const TemporaryFolder folder, other;
  write(other.path() + "/d.bin", "abcd");
  std::filesystem::create_symlink(other.path() + "/d.bin", folder.path() + "/d.bin");
  CHECK(read(external("d.bin", 0, 4), kUint8, folder.path()).error.find("link") !=
        std::string::npos);
}

TEST_CASE("what is no model is named for what it is") {
  const auto error = [](const std::string& bytes) {
    try {
      parse_model(bytes, "m", ".");
      return std::string("it parses");
    } catch (const UserError& e) {
      return e.text();
    }
  };
  CHECK(error("version https://git-lfs.github.com/spec/v1\n") ==
        "'m' is a git-lfs pointer, no ONNX model");
  CHECK(error("") == "'m' is empty");
  CHECK(error("hello") == "'m' is a text file, no ONNX model");
  CHECK(error(std::string("\x80\x02}q", 4)) ==
        "'m' is a PyTorch checkpoint (a Python pickle), no ONNX model");
}
