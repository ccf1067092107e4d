// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile_file.h"

#include "compiler/driver/compile.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/error.h"
#include "compiler/support/files.h"

namespace fuzz {

namespace {

void compile_and_write(const std::string& path, const std::string& out, macec::Diagnostics& diag) {
  const macec::Options options =
      macec::parse_options({path, "--target=x86-64", "-o", out + "/case.cpp"});
  std::vector<macec::OutputFile> files;
  for (const macec::EmittedFile& file : macec::compile(options, diag).files) {
    files.push_back({out + "/" + file.name, file.bytes});
  }
  macec::write_files(files, false);
}

}  // namespace

Answer compile_file(const std::string& path, const std::string& out) {
  macec::Diagnostics diag;
  try {
    compile_and_write(path, out, diag);
    return {Outcome::kCompiled, ""};
  } catch (const macec::Stop&) {
  } catch (const macec::UserError& error) {
    diag.add(error);
  } catch (const macec::InternalError& error) {
    return {Outcome::kOurError, error.what()};
  } catch (const std::exception& error) {
    return {Outcome::kForeignException, error.what()};
  }
  return {Outcome::kRefused, diag.report("case.onnx", "macec case.onnx")};
}

}  // namespace fuzz
