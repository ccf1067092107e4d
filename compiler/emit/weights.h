// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the weights of a model reach the app: the last part of a generated source, and files beside
// it.
//
//   array      uint64_t arrays in hexadecimal             any compiler; up to 256 KiB by default
//   assembler  one file-scope asm(".quad ...")            gcc and clang; up to 16 MiB by default
//   incbin     <name>_weights.S includes <name>.weights.bin    quick at any size
//   file       the app loads <name>.weights.bin and calls model->bind
//   external   the symbol <name>_weights comes from elsewhere (linker script, flash partition)
//
// All of them hold the same block: a head of 64 bytes (runtime_stub/blob.h), then the packed
// weights. The symbol is <name>_weights: hidden, 64-byte aligned, read-only, in its own section.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/emit/interface.h"

namespace macec {

// The mode that --weights=auto means for so many bytes; none for 0.
WeightsMode auto_weights_mode(int64_t bytes);
// "array", "asm", "incbin", "file", "extern"; nothing for other words.
std::optional<WeightsMode> weights_mode_from(std::string_view word);

// packed: what the kernels read, entries 64-byte aligned. Returns head and packed bytes.
std::string weights_blob(uint64_t layout, std::string_view packed);

// Of packed weights, as in the head of their blob.
uint64_t blob_hash(std::string_view packed);

struct WeightsText {
  std::string source;         // to append to the generated source; may be empty
  std::string assembly_name;  // incbin: "kws_weights.S", and its text; else empty
  std::string assembly;
  std::string
      binary_name;  // incbin, file, external: "kws.weights.bin", holding the blob; else empty
};

// blob: from weights_blob, for model.weights_mode; ignored without weights.
WeightsText write_weights(const ModelInterface& model, std::string_view blob);

}  // namespace macec
