// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading whole files, and writing so that a failed run leaves nothing half-made.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace macec {

// Every text that macec writes says this in its first line (generated_line of emit/names.h), every file of weights begins with the other; files
// without them are never replaced.
constexpr std::string_view kGeneratedMarker = "written by macec";
constexpr std::string_view kWeightsMarker{"macec\0w1", 8};

// The whole file. Throws UserError: missing, a folder, not readable, larger than max_bytes.
std::string read_file(const std::string& path, int64_t max_bytes);
bool file_exists(const std::string& path);
bool is_folder(const std::string& path);
std::string folder_of(const std::string& path);  // "." if there is none
std::string stem_of(const std::string& path);    // "dir/a.b.onnx" -> "a.b"
std::string base_name(const std::string& path);

struct OutputFile {
  std::string path;
  std::string contents;
  bool is_replaced = false;  // whoever wrote what is there
};
// Writes all files or none: each to a temporary beside its place, then all are renamed. Refuses to replace a
// file that macec did not write, unless `force`.
void write_files(const std::vector<OutputFile>& files, bool force);

// A fresh empty folder under $TMPDIR (or /tmp), removed with all its contents at the end of its life.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_kept_ = false;
};

}  // namespace macec
