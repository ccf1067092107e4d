// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from a model as C: identifiers, strings, comments.
#include "compiler/emit/names.h"

#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/support/error.h"
#include "tests/catch.h"

using namespace macec;

TEST_CASE("a name becomes a lower-case identifier") {
  CHECK(identifier_from("Input:0", "input_0") == "input_0");
  CHECK(identifier_from("/encoder/Layer.1//Add_output_0", "x") == "encoder_layer_1_add_output_0");
  CHECK(identifier_from("pixelValues", "x") == "pixelvalues");
}

TEST_CASE("a name without letters becomes the fallback") {
  CHECK(identifier_from("", "input_3") == "input_3");
  CHECK(identifier_from("\xe5\x90\x8d", "output_1") == "output_1");
  CHECK(identifier_from("__", "dim_0") == "dim_0");
}

TEST_CASE("a name that starts with a digit gets its kind before it") {
  CHECK(identifier_from("1465", "output_0") == "output_1465");
}

TEST_CASE("a word of C or of our headers gets its kind behind it") {
  CHECK(identifier_from("int", "input_0") == "int_input");
  CHECK(identifier_from("memory", "input_0") == "memory_input");
  CHECK(identifier_from("linux", "dim_0") == "linux_dim");
}

TEST_CASE("a model whose file has a name as ours gets another") {
  for (const char* stem : {"macec", "macec_open", "MACEC-2", "std", "int", "1net", "\xe5"}) {
    const std::string name = model_name_from(stem);
    CHECK((why_no_model_name(name).empty() || why_no_model_name(name + "_2").empty()));
  }
  CHECK(model_name_from("macec") == "model_macec");
}

TEST_CASE("a long name is cut") {
  CHECK(identifier_from(std::string(5000, 'a'), "input_0").size() == 60);
}

TEST_CASE("the words that are taken are sorted") {
  for (const char* word : {"alignas", "m", "while", "in", "out", "c", "xor_eq", "this"})
    CHECK(is_c_word(word));
  CHECK(!is_c_word("audio"));
}

TEST_CASE("a string literal holds every byte and no trigraph") {
  CHECK(c_string("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(c_string("?\?/") == "\"\\?\\?/\"");
  CHECK(c_string("\xe5\n1") == "\"\\345\\0121\"");
}

TEST_CASE("a comment cannot be ended or continued from inside") {
  CHECK(comment_text("a*/b") == "a* /b");
  CHECK(comment_text("/*") == "/ *");
  CHECK(comment_text("*/*/") == "* / * /");
  CHECK(comment_text("end\\") == "end\\ ");
  CHECK(comment_text("two\nlines") == "two<0a>lines");
  CHECK(comment_text("?\?/") == "? ?/");
  CHECK(comment_text(std::string(1000, 'x')).size() == 203);
}

TEST_CASE("identifiers are renamed, numbers are not") {
  const auto parens = [](const std::string& word) { return "(" + word + ")"; };
  CHECK(rename_identifiers("a*3 + b1 - 0x1f", parens) == "(a)*3 + (b1) - 0x1f");
  CHECK(uses_identifier("frames + 1", "frames"));
  CHECK(!uses_identifier("frames_2 + 1", "frames"));
}

TEST_CASE("some names cannot name a model") {
  CHECK(why_no_model_name("kws").empty());
  CHECK(why_no_model_name("mobilenet_v2_100").empty());
  for (const char* name : {"", "3d", "a-b", "std", "macec", "macec_x", "int", "a__b", "_x"}) {
    CHECK(!why_no_model_name(name).empty());
  }
}

namespace {
InterfaceTensor named(const std::string& name) {
  InterfaceTensor tensor;
  tensor.name = name;
  return tensor;
}
}  // namespace

TEST_CASE("identifiers of one model differ, in capitals too") {
  ModelInterface model;
  model.dims = {{"N", "", 1, 4, 1}, {"x", "", 1, 4, 1}};
  model.inputs = {named("x"),         named("X"),      named("x.2"),
                  named("foo_elems"), named("in_foo"), named("n_max")};
  model.outputs = {named("x:0"), named("build")};
  assign_identifiers(model);
  CHECK(model.dims[0].identifier == "n");
  CHECK(model.dims[1].identifier == "x");
  CHECK(model.inputs[0].identifier == "x_2");
  CHECK(model.inputs[1].identifier == "x_3");
  CHECK(model.inputs[2].identifier == "x_2_2");
  CHECK(model.inputs[3].identifier == "foo_elems");
  CHECK(model.inputs[4].identifier == "in_foo_2");  // MODEL_IN_FOO_ELEMS is taken
  CHECK(model.outputs[0].identifier == "x_0");
}

TEST_CASE("features become tests, those that others imply do not") {
  CHECK(features_code({}) == "true");
  CHECK(features_code({"neon"}) == "true");
  CHECK(features_code({"avx2", "fma", "f16c"}) ==
        "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")");
  CHECK(features_code({"dotprod"}) ==
        "MACEC_HAS_FEATURE(20, -1, \"hw.optional.arm.FEAT_DotProd\", __ARM_FEATURE_DOTPROD)");
  CHECK_THROWS_AS(features_code({"warp"}), InternalError);
}
