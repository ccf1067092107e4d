# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Puts text files into the program: macec_embed(<target> <file>...) adds one generated source to <target>
# that holds them all; compiler/emit/embedded.h reads them. Paths are relative to the project's root.
#
# The file is two things: included, it defines the function; run by `cmake -P`, it writes the table.
# Texts become raw string literals of at most 12 KB each (compilers limit one literal to 16 KB), split
# after a line end. Every expansion stands in quotes, so ';', '[', '"' and '\' pass unharmed.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(MACEC_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

  function(macec_embed target)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp")
    set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.list")
    set(paths "")
    set(inputs "")
    foreach(file IN LISTS ARGN)
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
      list(APPEND inputs "${file}")
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      list(APPEND paths "${file}")
    endforeach()
    list(SORT paths)
    list(REMOVE_DUPLICATES paths)
    string(REPLACE ";" "\n" lines "${paths}")
    file(GENERATE OUTPUT "${list_file}" CONTENT "${lines}\n")
    add_custom_command(
      OUTPUT "${source}"
      COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}" "-DLIST=${list_file}"
              "-DOUTPUT=${source}" -P "${MACEC_EMBED_SCRIPT}"
      DEPENDS ${inputs} "${list_file}" "${MACEC_EMBED_SCRIPT}"
      COMMENT "Embedding kernels and stub texts"
      VERBATIM)
    target_sources(${target} PRIVATE "${source}")
  endfunction()
  return()
endif()

set(piece_bytes 12000)

# Appends to `out` one raw string literal a piece, each on its own line.
function(text_to_literals out path)
  file(READ "${ROOT}/${path}" text)
  string(FIND "${text}" ")macec~\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path} contains the end mark of a raw string, )macec~\"")
  endif()
  set(result "")
  string(LENGTH "${text}" left)
  while(left GREATER piece_bytes)
    string(SUBSTRING "${text}" 0 ${piece_bytes} piece)
    string(FIND "${piece}" "\n" at REVERSE)
    if(at EQUAL -1)
      message(FATAL_ERROR "${path} has a line of more than ${piece_bytes} bytes")
    endif()
    math(EXPR at "${at} + 1")
    string(SUBSTRING "${text}" 0 ${at} piece)
    string(SUBSTRING "${text}" ${at} -1 text)
    string(LENGTH "${text}" left)
    string(APPEND result "R\"macec~(${piece})macec~\"\n")
  endwhile()
  string(APPEND result "R\"macec~(${text})macec~\"")
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

file(STRINGS "${LIST}" paths)
set(rows "")
foreach(path IN LISTS paths)
  text_to_literals(literals "${path}")
  string(APPEND rows "    {\"${path}\"sv,\n${literals}sv},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Written by compiler/emit/embed.cmake; do not edit.
#include \"compiler/emit/embedded.h\"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace macec {
namespace {

using namespace std::string_view_literals;

struct EmbeddedFile {
  std::string_view path, text;
};

const EmbeddedFile kFiles[] = {  // sorted by path
${rows}};

const EmbeddedFile* find(std::string_view path) {
  const auto before = [](const EmbeddedFile& file, std::string_view key) { return file.path < key; };
  const EmbeddedFile* at = std::lower_bound(std::begin(kFiles), std::end(kFiles), path, before);
  return at != std::end(kFiles) && at->path == path ? at : nullptr;
}

}  // namespace

std::string_view embedded_text(std::string_view path) {
  if (const EmbeddedFile* file = find(path)) return file->text;
  throw std::logic_error(\"no text is embedded for \" + std::string(path));
}

bool has_embedded_text(std::string_view path) { return find(path) != nullptr; }

std::vector<std::string_view> embedded_paths() {
  std::vector<std::string_view> paths;
  for (const EmbeddedFile& file : kFiles) paths.push_back(file.path);
  return paths;
}

}  // namespace macec
")
