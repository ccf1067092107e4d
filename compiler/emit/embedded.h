// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of this repository that stand inside the macec program: kernels, stub layers, skeletons.
//
//   runtime_stub/layer1.h  --embed.cmake, at build time-->  embedded.cpp  -->
//   embedded_text("runtime_stub/layer1.h")
//
// A path is the file's path from the repository root, with '/'. The list of files is the one given
// to macec_embed() in CMake; a file that is not in it is not here.
#pragma once

#include <string_view>
#include <vector>

namespace macec {

// The whole text of one file, byte for byte. Throws std::logic_error if the path is not embedded.
std::string_view embedded_text(std::string_view path);

bool has_embedded_text(std::string_view path);

// All embedded paths, sorted.
std::vector<std::string_view> embedded_paths();

}  // namespace macec
