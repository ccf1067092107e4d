// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/emit/names.h"
#include "compiler/support/error.h"
#include "compiler/support/files.h"

namespace macec {
namespace {

constexpr int64_t kMostArrayBytes = 256 << 10;
constexpr int64_t kMostAssemblerBytes = 16 << 20;
constexpr size_t kHeadBytes = 64;
constexpr size_t kArrayWords = (64 << 10) / 8;  // of one array: some compilers limit initializers
constexpr size_t kWordsPerLine = 4;

void put_word(std::string& bytes, size_t at, uint64_t value) {
  std::memcpy(&bytes[at], &value, 8);
}

// Appends words [begin, end) of the blob as lines "<start>0x..., 0x...<finish>"; the last word is
// filled with zeros.
void append_words(std::string& text, std::string_view blob, size_t begin, size_t end,
                  std::string_view start, std::string_view finish) {
  constexpr char kHex[] = "0123456789abcdef";
  for (size_t word = begin; word < end; ++word) {
    const size_t column = (word - begin) % kWordsPerLine;
    text += column ? std::string_view(",") : start;
    uint64_t value = 0;
    std::memcpy(&value, blob.data() + 8 * word, std::min<size_t>(8, blob.size() - 8 * word));
    char digits[18] = {'0', 'x'};
    for (int i = 17; i > 1; --i, value >>= 4) digits[i] = kHex[value & 15];
    text.append(digits, sizeof digits);
    if (column + 1 == kWordsPerLine || word + 1 == end) text += finish;
  }
}

std::string array_source(const std::string& name, std::string_view blob) {
  const size_t words = (blob.size() + 7) / 8;
  std::string members, text;
  for (size_t begin = 0; begin < words; begin += kArrayWords) {
    const size_t end = std::min(words, begin + kArrayWords);
    members +=
        fmt::format("{}part_{}[{}]", members.empty() ? "" : ", ", begin / kArrayWords, end - begin);
    text += "    {\n";
    append_words(text, blob, begin, end, "     ", ",\n");
    text += "    },\n";
  }
  return fmt::format(
      "namespace {{\nnamespace {0} {{\n\n"
      "struct Weights {{\n  uint64_t {1};\n}};\n"
      "alignas(64) const Weights {0}_weights = {{\n{2}}};\n\n"
      "const unsigned char* embedded_weights() {{ return reinterpret_cast<const unsigned "
      "char*>(&{0}_weights); }}\n\n"
      "}}  // namespace {0}\n}}  // namespace\n",
      name, members, text);
}

// The directives before and after the data, for Mach-O and for ELF; {0}: the name.
constexpr char kMachBegin[] =
    ".pushsection __TEXT,__const\n.globl _{0}_weights\n.private_extern _{0}_weights\n.p2align "
    "6\n_{0}_weights:\n";
constexpr char kElfBegin[] =
    ".pushsection .rodata.{0}_weights,\"a\",%progbits\n.globl {0}_weights\n.hidden {0}_weights\n"
    ".type {0}_weights, %object\n.p2align 6\n{0}_weights:\n";
constexpr char kElfEnd[] = ".size {0}_weights, .-{0}_weights\n.popsection\n";
constexpr char kMachEnd[] = ".popsection\n";

// Every line of `text` as a C string literal.
std::string quoted_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string literal = c_string(text.substr(0, end));
    literal.insert(literal.size() - 1, "\\n");
    result += "    " + literal + "\n";
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string declaration(const std::string& name, bool is_hidden) {
  return fmt::format(
      "extern \"C\" {1}const unsigned char {0}_weights[];\n"
      "namespace {{\nnamespace {0} {{\n"
      "const unsigned char* embedded_weights() {{ return {0}_weights; }}\n"
      "}}  // namespace {0}\n}}  // namespace\n",
      name, is_hidden ? "__attribute__((visibility(\"hidden\"))) " : "");
}

std::string assembler_source(const std::string& name, std::string_view blob) {
  const size_t words = (blob.size() + 7) / 8;
  std::string text = declaration(name, true);
  text.reserve(words * 24 + 4096);
  text +=
      "#if defined(__clang__)\n#pragma clang diagnostic push\n"
      "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n"
      "__asm__(\n#if defined(__APPLE__)\n";
  text += quoted_lines(fmt::format(kMachBegin, name)) + "#else\n" +
          quoted_lines(fmt::format(kElfBegin, name)) + "#endif\n";
  append_words(text, blob, 0, words, "    \".quad ", "\\n\"\n");
  text += "#if defined(__APPLE__)\n" + quoted_lines(kMachEnd) + "#else\n" +
          quoted_lines(fmt::format(kElfEnd, name)) +
          "#endif\n);\n#if defined(__clang__)\n#pragma clang diagnostic pop\n#endif\n";
  return text;
}

std::string incbin_assembly(const ModelInterface& model, const std::string& binary_name) {
  const std::string& name = model.name;
  return fmt::format(
      "/* {7}\n"
      "   -D{1}_WEIGHTS_FILE='\"path\"' says where the file is; else it is looked "
      "for in the\n"
      "   current folder and in those given by -I. */\n"
      "#ifndef {1}_WEIGHTS_FILE\n#define {1}_WEIGHTS_FILE \"{2}\"\n#endif\n"
      "#if defined(__CET__)\n#include <cet.h>\n#endif\n"
      "#if defined(__APPLE__)\n{3}.incbin {1}_WEIGHTS_FILE\n{4}"
      "#else\n{5}.incbin {1}_WEIGHTS_FILE\n{6}"
      ".section .note.GNU-stack,\"\",%progbits\n#endif\n",
      name, upper(name), binary_name, fmt::format(kMachBegin, name), kMachEnd,
      fmt::format(kElfBegin, name), fmt::format(kElfEnd, name),
      generated_line(name + "_weights.S", model.compiler));
}

}  // namespace

// As blob_hash in runtime_stub/blob.h.
uint64_t blob_hash(std::string_view bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes.size();
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

WeightsMode auto_weights_mode(int64_t bytes) {
  if (bytes == 0) return WeightsMode::none;
  if (bytes <= kMostArrayBytes) return WeightsMode::array;
  return bytes <= kMostAssemblerBytes ? WeightsMode::assembler : WeightsMode::incbin;
}

std::optional<WeightsMode> weights_mode_from(std::string_view word) {
  if (word == "array") return WeightsMode::array;
  if (word == "asm") return WeightsMode::assembler;
  if (word == "incbin") return WeightsMode::incbin;
  if (word == "file") return WeightsMode::file;
  if (word == "extern") return WeightsMode::external;
  return std::nullopt;
}

std::string weights_blob(uint64_t layout, std::string_view packed) {
  std::string blob(kHeadBytes, '\0');
  blob.replace(0, kWeightsMarker.size(), kWeightsMarker);
  put_word(blob, 8, layout);
  put_word(blob, 16, kHeadBytes + packed.size());
  put_word(blob, 24, blob_hash(packed));
  blob += packed;
  return blob;
}

WeightsText write_weights(const ModelInterface& model, std::string_view blob) {
  WeightsText result;
  const std::string& name = model.name;
  if (model.weights_mode == WeightsMode::none) return result;
  MACEC_CHECK(static_cast<int64_t>(blob.size() - kHeadBytes) == model.weights_bytes,
              "the blob has {} bytes, the interface says {}", blob.size() - kHeadBytes,
              model.weights_bytes);
  switch (model.weights_mode) {
    case WeightsMode::none:
      break;
    case WeightsMode::array:
      result.source = array_source(name, blob);
      break;
    case WeightsMode::assembler:
      result.source = assembler_source(name, blob);
      break;
    case WeightsMode::incbin:
      result.source = declaration(name, true);
      result.binary_name = name + ".weights.bin";
      result.assembly_name = name + "_weights.S";
      result.assembly = incbin_assembly(model, result.binary_name);
      break;
    case WeightsMode::external:
      result.source = declaration(name, false);
      result.binary_name = name + ".weights.bin";
      break;
    case WeightsMode::file:
      result.binary_name = name + ".weights.bin";
      break;
  }
  return result;
}

}  // namespace macec
