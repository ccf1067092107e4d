// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/files.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace fs = std::filesystem;

std::string read_file(const std::string& path, int64_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw user_error("there is no file '{}'", printable(path));
  if (fs::is_directory(status)) throw user_error("'{}' is a folder", printable(path));
  if (!fs::is_regular_file(status)) throw user_error("'{}' is not a regular file", printable(path));
  const int64_t bytes = static_cast<int64_t>(fs::file_size(path, error));
  if (error) throw user_error("cannot read '{}': {}", printable(path), error.message());
  if (bytes > max_bytes)
    throw user_error("'{}' has {}, more than the {} that are read", printable(path),
                     bytes_text(bytes), bytes_text(max_bytes));
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<size_t>(bytes), '\0');
  if (!in || !in.read(&text[0], bytes))
    throw user_error("cannot read '{}': {}", printable(path), std::strerror(errno));
  return text;
}

bool file_exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::string folder_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string stem_of(const std::string& path) {
  return fs::path(path).stem().string();
}
std::string base_name(const std::string& path) {
  return fs::path(path).filename().string();
}

static bool macec_wrote(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char head[512];
  in.read(head, sizeof head);
  const std::string_view text(head, static_cast<size_t>(in.gcount()));
  return text.find(kGeneratedMarker) != std::string_view::npos ||
         text.substr(0, kWeightsMarker.size()) == kWeightsMarker;
}

static void check_place(const std::string& path, bool force) {
  if (!is_folder(folder_of(path)))
    throw user_error("there is no folder '{}' to write '{}' into", printable(folder_of(path)),
                     printable(base_name(path)));
  if (is_folder(path)) throw user_error("'{}' is a folder", printable(path));
  if (!force && file_exists(path) && !macec_wrote(path))
    throw user_error("'{}' was not written by macec and is not replaced", printable(path))
        .hint("write elsewhere with -o, or replace it with --force");
}

// Writes the temporary beside its final place, so that the rename cannot cross a file system.
static std::string write_temporary(const OutputFile& file) {
  std::error_code error;
  const std::string temporary = fmt::format("{}.{}.tmp", file.path, getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(file.contents.data(), static_cast<std::streamsize>(file.contents.size()));
  out.close();
  if (!out) {
    const int reason = errno;
    fs::remove(temporary, error);
    throw user_error("cannot write '{}': {}", printable(file.path), std::strerror(reason));
  }
  return temporary;
}

void write_files(const std::vector<OutputFile>& files, bool force) {
  for (const OutputFile& file : files) check_place(file.path, force || file.is_replaced);
  std::vector<std::string> temporaries;
  std::error_code error;
  try {
    for (const OutputFile& file : files) temporaries.push_back(write_temporary(file));
  } catch (...) {
    for (const std::string& temporary : temporaries) fs::remove(temporary, error);
    throw;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    fs::rename(temporaries[i], files[i].path, error);
    if (error) {
      const std::string reason = error.message();
      for (const std::string& temporary : temporaries) fs::remove(temporary, error);
      throw user_error("cannot write '{}': {}", printable(files[i].path), reason);
    }
  }
}

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = fmt::format("{}/macec-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(&pattern[0]))
    throw user_error("cannot make a temporary folder '{}': {}", pattern, std::strerror(errno))
        .hint("set TMPDIR to a folder that can be written");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!is_kept_) fs::remove_all(path_, error);
}

}  // namespace macec
