// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the writers of the header and of the C interface; nobody else needs it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/emit/interface.h"

namespace macec {

struct ElementType {
  const char* name;  // for people: "float16"
  const char* c;     // of the app's arrays: "uint16_t"; complex types are pairs of it
  int bits;          // of one element
  int alignment;     // bytes
};
ElementType element_type(int dtype);

int64_t context_bytes(const ModelInterface& model);  // the GPU's part at its end included
int64_t copy_bytes(const ModelInterface& model);     // all states once
int64_t rounded_arena(const ModelInterface& model);  // to whole 64-byte lines
int64_t rounded_fast(const ModelInterface& model);

bool is_fixed_shape(const std::vector<Extent>& shape);
std::string extent_code(const ModelInterface& model, const Extent& extent);
std::string element_count_code(const ModelInterface& model, const std::vector<Extent>& shape);
std::string type_text(const ModelInterface& model, int dtype,
                      const std::vector<Extent>& shape);  // "float32[frames,8]"

// The part of a file under runtime_stub/ that generated code takes: what follows #pragma once,
// without #include lines. Layers of the stub are taken between their BEGIN and END lines, which
// stay. What stands between the lines `// BEGIN GPU` and `// END GPU` is left out without with_gpu;
// those lines always are.
std::string pasted_text(std::string_view path, bool with_gpu = false);
// The texts that the C interface of every model uses, once per file.
std::string pasted_interface(const GeneratedPair& pair);

// A bool expression that is true if this processor has all the features. Throws for unknown ones.
std::string features_code(const std::vector<std::string>& features);

}  // namespace macec
