// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/options.h"

#include "tests/catch.h"

namespace {

using namespace macec;

std::string usage_error(const std::vector<std::string>& words) {
  try {
    parse_options(words);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a file without a command is compiled") {
  const Options options = parse_options({"net.onnx", "-o", "out/net.cpp"});
  CHECK(options.command == "compile");
  CHECK(options.output == "out/net.cpp");
}

TEST_CASE("a misspelt command names the nearest one") {
  CHECK(usage_error({"inpsect", "net.onnx"}) ==
        "no command or file 'inpsect'; did you mean inspect?");
}

TEST_CASE("a misspelt flag names the nearest one of the command") {
  CHECK(usage_error({"net.onnx", "--taget=armv8"}) ==
        "compile has no flag '--taget'; did you mean --target?");
}

TEST_CASE("a dimension's range has a step that reaches its end") {
  const Options options = parse_options({"net.onnx", "--dim", "h=32..960:32"});
  CHECK(options.import.dims.at("h") == SizeRange{32, 960, 32});
  CHECK_FALSE(usage_error({"net.onnx", "--dim", "h=1..8:3"}).empty());
}

TEST_CASE("a name with '=' is split at the last one") {
  CHECK(parse_options({"net.onnx", "--dim=a=b=3"}).import.dims.count("a=b") == 1);
}

TEST_CASE("a shape has sizes, ranges, names and '?'") {
  const Options options = parse_options({"net.onnx", "--shape", "x=1x3..5xHx?"});
  const std::vector<ShapeItem>& items = options.import.shapes.at("x");
  REQUIRE(items.size() == 4);
  CHECK(items[1].size == SizeRange{3, 5, 1});
  CHECK(items[2].kind == ShapeItem::name);
  CHECK(items[3].kind == ShapeItem::as_declared);
}

TEST_CASE("an empty --shape means a scalar") {
  CHECK(parse_options({"net.onnx", "--shape", "x="}).import.shapes.at("x").empty());
}

TEST_CASE("only flags that change the code are named in its head") {
  CHECK(parse_options({"net.onnx", "--dim", "n=2", "--force", "-o", "a.cpp"}).shaping ==
        "--dim=n=2");
}

TEST_CASE("every command has help with its flags, examples and exit codes") {
  for (const char* command : {"", "compile", "inspect", "verify", "bench", "run", "list"}) {
    const std::string help = help_text(command);
    INFO(command);
    CHECK(help.find("examples:") != std::string::npos);
    CHECK(help.find("exit codes:") != std::string::npos);
  }
}
