// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text, files, diagnostics, processes.
#include <fstream>

#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/process.h"
#include "compiler/support/text.h"
#include "tests/catch.h"

using namespace macec;

TEST_CASE("two letters that changed places are one slip") {
  CHECK(nearest("inpsect", {"list", "inspect"}) == "inspect");
}
TEST_CASE("a word that is nothing like the candidates has no nearest one") {
  CHECK(nearest("xyzzy", {"list", "inspect"}).empty());
}
TEST_CASE("control characters of a name are escaped") {
  CHECK(printable("a\n\x1b[31m") == "a\\x0a\\x1b[31m");
}
TEST_CASE("broken UTF-8 is escaped and valid UTF-8 is not") {
  CHECK(printable("\xc3\xa4\xff") == "\xc3\xa4\\xff");
}
TEST_CASE("a word with blanks is quoted for a shell") {
  CHECK(shell_quoted("it's 1") == "'it'\\''s 1'");
}
TEST_CASE("thousands are separated") {
  CHECK(with_commas(-1234567) == "-1,234,567");
}
TEST_CASE("a number with a tail is none") {
  CHECK_FALSE(parse_int("12x").has_value());
}
TEST_CASE("a star of a pattern stands for any text") {
  std::vector<std::string> stars;
  CHECK(matches_pattern("past.*.key", "past.3.key", &stars));
  CHECK(stars == std::vector<std::string>{"3"});
}

TEST_CASE("a file that macec did not write is kept") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a.cpp";
  const std::string mine = "#include \"macec.h\"\n#ifdef MACEC_OK\n";  // mentions it, that is all
  std::ofstream(path) << mine;
  CHECK_THROWS_AS(write_files({{path, "// macec\n"}}, false), UserError);
  CHECK(read_file(path, 100) == mine);
  write_files({{path, "// macec\n"}}, true);
  CHECK(read_file(path, 100) == "// macec\n");
}

TEST_CASE("when one of several files cannot be written none is") {
  const TemporaryFolder folder;
  const std::string good = folder.path() + "/a.cpp";
  CHECK_THROWS_AS(
      write_files({{good, "// macec"}, {folder.path() + "/none/b.h", "// macec"}}, false),
      UserError);
  CHECK_FALSE(file_exists(good));
}

TEST_CASE("a report has all errors, places and hints, and ends with the suggestion") {
  Diagnostics diag;
  diag.add(user_error("no size"));
  CHECK(diag.report("m.onnx", "nothing was written", ". This is it:\n    macec m.onnx") ==
        "error: no size\nmacec: 1 error in m.onnx; nothing was written. This is it:\n    macec "
        "m.onnx\n");
  diag.add(user_error("bad").at("here").hint("do this"));
  CHECK(diag.report("m.onnx", "nothing was written") ==
        "error: no size\nerror: bad\n    at here\n    hint: do this\nmacec: 2 errors in m.onnx; "
        "nothing was written\n");
}

TEST_CASE("a process gives its output and exit code") {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"}, ".", 20);
  CHECK(result.code == 3);
  CHECK(result.output == "out\nerr\n");
}
TEST_CASE("a process that does not end is ended") {
  CHECK(run_process({"sleep", "30"}, ".", 0.2).timed_out);
}
TEST_CASE("a process that dies of a signal says which") {
  CHECK(run_process({"sh", "-c", "kill -9 $$"}, ".", 20).signal == 9);
}
