// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and identifiers of a model's interface: what the header and the source agree on.
#include "compiler/emit/interface.h"

#include <set>

#include "compiler/emit/interface_parts.h"
#include "compiler/emit/names.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int64_t kLine = 64;  // everything in the memory starts at a multiple of it
constexpr int64_t kContextStruct =
    256;  // sizeof(Context), at most: a static_assert in the source holds it
constexpr int64_t kGpuStruct = 1024;  // sizeof(Gpu), at most

int64_t round_up(int64_t bytes, int64_t to) {
  return (bytes + to - 1) / to * to;
}

int64_t sum_of_ranks(const std::vector<InterfaceTensor>& tensors) {
  int64_t sum = 0;
  for (const InterfaceTensor& tensor : tensors) sum += static_cast<int64_t>(tensor.shape.size());
  return sum;
}

// Macros and functions that a tensor or dim called `id` brings into the header, without the model's
// name.
std::vector<std::string> header_names(std::string_view kind, const std::string& id) {
  const std::string capitals = upper(id);
  if (kind == "dim") return {"DIM_" + capitals, capitals + "_MAX", id};
  const std::string enumerator = (kind == "input" ? "IN_" : "OUT_") + capitals;
  return {enumerator, capitals + "_ELEMS", capitals + "_BYTES", id};
}

class IdentifierMaker {
 public:
  explicit IdentifierMaker(std::string model)
      : model_(std::move(model)), taken_{"BUILD",       "MEMORY_BYTES", "STATE_BYTES",
                                         "MAX_THREADS", "API",          "H"} {}

  void fill(std::string_view kind, size_t index, const std::string& name, std::string& id) {
    if (id.empty()) {
      std::string base = identifier_from(name, std::string(kind) + "_" + std::to_string(index));
      if (is_like_a_function(base)) base = std::string(kind) + "_" + base;
      id =
          unique_name(base, [&](const std::string& candidate) { return is_free(kind, candidate); });
    }
    MACEC_CHECK(is_free(kind, id), "two tensors or dims share the identifier {}", id);
    for (const std::string& used : header_names(kind, id)) taken_.insert(used);
  }

 private:
  // "macec_run" and "kws_open" are called beside parameters of that name.
  bool is_like_a_function(const std::string& id) const {
    return id.compare(0, 5, "macec") == 0 || id.compare(0, model_.size() + 1, model_ + "_") == 0;
  }
  bool is_free(std::string_view kind, const std::string& id) const {
    if (is_c_word(id)) return false;
    for (const std::string& used : header_names(kind, id)) {
      if (taken_.count(used)) return false;
    }
    return true;
  }
  std::string model_;
  std::set<std::string> taken_;
};

}  // namespace

Extent fixed_extent(int64_t value) {
  return {Extent::fixed, value, "", "", ""};
}
Extent dim_extent(int index) {
  return {Extent::dimension, index, "", "", ""};
}
Extent computed_extent(std::string code, std::string text) {
  return {Extent::computed, 0, std::move(code), std::move(text), ""};
}
Extent later_extent(std::string bound_code, std::string final_code, std::string text) {
  return {Extent::later, 0, std::move(bound_code), std::move(text), std::move(final_code)};
}

void assign_identifiers(ModelInterface& model) {
  IdentifierMaker maker(model.name);
  for (size_t i = 0; i < model.dims.size(); ++i) {
    maker.fill("dim", i, model.dims[i].name, model.dims[i].identifier);
  }
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    maker.fill("input", i, model.inputs[i].name, model.inputs[i].identifier);
  }
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    maker.fill("output", i, model.outputs[i].name, model.outputs[i].identifier);
  }
}

int64_t context_bytes(const ModelInterface& model) {
  const int64_t states = static_cast<int64_t>(model.states.size());
  const int64_t words = static_cast<int64_t>(model.dims.size()) + model.value_count +
                        sum_of_ranks(model.inputs) + sum_of_ranks(model.outputs) + 3 * states;
  const int64_t pointers =
      static_cast<int64_t>(model.inputs.size() + model.outputs.size()) + 2 * states;
  const int64_t context = round_up(kContextStruct + 8 * words + 8 * pointers, kLine);
  if (!model.gpu) return context;
  const InterfaceGpu& gpu = *model.gpu;
  return context +
         round_up(kGpuStruct + 8 * (gpu.launches + 3 * gpu.shared + gpu.images + gpu.weight_images),
                  kLine);
}

int64_t state_offset(const ModelInterface& model, size_t state) {
  int64_t offset = 0;
  for (size_t i = 0; i < state; ++i) offset += round_up(model.states[i].max_bytes, kLine);
  return offset;
}

int64_t copy_bytes(const ModelInterface& model) {
  return state_offset(model, model.states.size());
}

int64_t state_bytes(const ModelInterface& model) {
  return model.states.empty() ? 0 : 2 * copy_bytes(model) + kLine - 1;
}

int64_t memory_bytes(const ModelInterface& model) {
  return context_bytes(model) + round_up(model.arena_bytes, kLine) +
         round_up(model.fast_bytes, kLine) + 2 * copy_bytes(model) + kLine - 1;
}

int64_t rounded_arena(const ModelInterface& model) {
  return round_up(model.arena_bytes, kLine);
}
int64_t rounded_fast(const ModelInterface& model) {
  return round_up(model.fast_bytes, kLine);
}

// --- element types ---------------------------------------------------------------------------

ElementType element_type(int dtype) {
  switch (dtype) {
    case 1:
      return {"float32", "float", 32, 4};
    case 2:
      return {"uint8", "uint8_t", 8, 1};
    case 3:
      return {"int8", "int8_t", 8, 1};
    case 4:
      return {"uint16", "uint16_t", 16, 2};
    case 5:
      return {"int16", "int16_t", 16, 2};
    case 6:
      return {"int32", "int32_t", 32, 4};
    case 7:
      return {"int64", "int64_t", 64, 8};
    case 9:
      return {"bool", "uint8_t", 8, 1};
    case 10:
      return {"float16", "uint16_t", 16, 2};
    case 11:
      return {"float64", "double", 64, 8};
    case 12:
      return {"uint32", "uint32_t", 32, 4};
    case 13:
      return {"uint64", "uint64_t", 64, 8};
    case 14:
      return {"complex64", "float", 64, 4};
    case 15:
      return {"complex128", "double", 128, 8};
    case 16:
      return {"bfloat16", "uint16_t", 16, 2};
    case 17:
      return {"float8e4m3fn", "uint8_t", 8, 1};
    case 18:
      return {"float8e4m3fnuz", "uint8_t", 8, 1};
    case 19:
      return {"float8e5m2", "uint8_t", 8, 1};
    case 20:
      return {"float8e5m2fnuz", "uint8_t", 8, 1};
    case 21:
      return {"uint4", "uint8_t", 4, 1};
    case 22:
      return {"int4", "uint8_t", 4, 1};
    case 23:
      return {"float4e2m1", "uint8_t", 4, 1};
    case 24:
      return {"float8e8m0", "uint8_t", 8, 1};
    case 25:
      return {"uint2", "uint8_t", 2, 1};
    case 26:
      return {"int2", "uint8_t", 2, 1};
    default:
      break;
  }
  throw InternalError("no element type in C for data type " + std::to_string(dtype));
}

// --- extents as text -------------------------------------------------------------------------

std::string extent_code(const ModelInterface& model, const Extent& extent) {
  switch (extent.kind) {
    case Extent::fixed:
      return std::to_string(extent.value);
    case Extent::dimension:
      return model.dims[static_cast<size_t>(extent.value)].identifier;
    default:
      return "(" + extent.code + ")";
  }
}

std::string element_count_code(const ModelInterface& model, const std::vector<Extent>& shape) {
  int64_t constant = 1;
  std::string factors;
  for (const Extent& extent : shape) {
    if (extent.kind == Extent::fixed) {
      if (extent.value == 0) return "0";
      if (__builtin_mul_overflow(constant, extent.value, &constant))
        throw user_error("a shape of the interface has more elements than 64 bits count");
    } else {
      factors += (factors.empty() ? "" : " * ") + extent_code(model, extent);
    }
  }
  if (factors.empty() || constant == 0) return std::to_string(constant);
  return constant == 1 ? factors : factors + " * " + std::to_string(constant);
}

bool is_fixed_shape(const std::vector<Extent>& shape) {
  for (const Extent& extent : shape) {
    if (extent.kind != Extent::fixed) return false;
  }
  return true;
}

std::string type_text(const ModelInterface& model, int dtype, const std::vector<Extent>& shape) {
  std::string text = std::string(element_type(dtype).name) + "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    const Extent& extent = shape[i];
    if (i) text += ",";
    if (!extent.text.empty()) {
      text += comment_text(extent.text);
    } else if (extent.kind == Extent::dimension) {
      text += comment_text(model.dims[static_cast<size_t>(extent.value)].name);
    } else {
      text += extent_code(model, extent);
    }
    if (extent.kind == Extent::later) text += "?";
  }
  return text + "]";
}

}  // namespace macec
