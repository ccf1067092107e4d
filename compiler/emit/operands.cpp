// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/operands.h"

#include <map>

#include "compiler/support/error.h"

namespace macec {

std::string element_name(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.c_type[0] ? type.c_type : "uint8_t";
}

WeightPlaces place_weights(const std::vector<Plan>& plans) {
  WeightPlaces places;
  std::map<std::string_view, int64_t> seen;
  for (const Plan& plan : plans) {
    places.offset.emplace_back();
    for (const Weight& weight : plan.weights) {
      const std::string_view bytes(reinterpret_cast<const char*>(weight.bytes.data()),
                                   weight.bytes.size());
      const auto [at, is_new] = seen.emplace(bytes, static_cast<int64_t>(places.packed.size()));
      if (is_new) {
        places.packed.append(bytes);
        places.packed.append((64 - places.packed.size() % 64) % 64, '\0');
      }
      places.offset.back().push_back(at->second);
    }
  }
  return places;
}

std::string OperandWriter::pointer(const View& view) {
  if (view.buffer < 0) return "nullptr";
  const Buffer& buffer = plan.buffers[static_cast<size_t>(view.buffer)];
  const std::string type = element_name(view.dtype);
  std::string base;
  Dim offset = view.offset;
  const int64_t size = info(view.dtype).bits / 8;
  const bool is_given = buffer.place == Buffer::input || buffer.place == Buffer::state;
  if (buffer.home == Buffer::shared && !is_given) {  // the CPU has it: it is mapped
    const bool is_place = offset.is_fixed() && size > 0;
    base = fmt::format("reinterpret_cast<{}*>(shared_memory(c, {}) + {})", type, buffer.object,
                       is_place ? offset.value() * size : 0);
    if (is_place || size == 0) return base;
    return base + fmt::format(" + ({})", names(offset));  // computed: a loop's
  }
  switch (buffer.place) {
    case Buffer::arena:
    case Buffer::scratch: {
      int64_t bytes = buffer.offset;
      if (offset.is_fixed() && size > 0) {
        bytes += offset.value() * size;
        offset = 0;
      }
      base = fmt::format("arena<{}>(c, {})", type, bytes);
      break;
    }
    case Buffer::input:
      base = fmt::format("input<{}>(c, {})", type, buffer.index);
      break;
    case Buffer::output:
      base = fmt::format("output<{}>(c, {})", type, buffer.index);
      break;
    case Buffer::state:
      base = fmt::format("state<{}>(c, {})", type, buffer.index);
      break;
    case Buffer::next_state:
      base = fmt::format("next_state<{}>(c, {})", type, buffer.index);
      break;
    case Buffer::weight:
      base =
          fmt::format("weight<{}>(c, {})", type, weight_offsets[static_cast<size_t>(buffer.index)]);
      break;
  }
  const bool is_packed = size == 0;
  if (!is_packed && offset != Dim(0)) base += fmt::format(" + ({})", names(offset));
  return base;
}

}  // namespace macec
