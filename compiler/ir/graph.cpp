// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/graph.h"

namespace macec {
namespace {

template <class T>
const T* find(const Node& node, const std::string& key) {
  const auto at = node.attributes.find(key);
  return at == node.attributes.end() ? nullptr : std::get_if<T>(&at->second);
}

}  // namespace

int64_t Node::int_attribute(const std::string& key, int64_t otherwise) const {
  const int64_t* v = find<int64_t>(*this, key);
  return v ? *v : otherwise;
}
float Node::float_attribute(const std::string& key, float otherwise) const {
  const float* v = find<float>(*this, key);
  return v ? *v : otherwise;
}
std::string Node::string_attribute(const std::string& key, const std::string& otherwise) const {
  const std::string* v = find<std::string>(*this, key);
  return v ? *v : otherwise;
}
std::vector<int64_t> Node::ints_attribute(const std::string& key,
                                          std::vector<int64_t> otherwise) const {
  const auto* v = find<std::vector<int64_t>>(*this, key);
  return v ? *v : otherwise;
}
std::vector<float> Node::floats_attribute(const std::string& key,
                                          std::vector<float> otherwise) const {
  const auto* v = find<std::vector<float>>(*this, key);
  return v ? *v : otherwise;
}
TensorPtr Node::tensor_attribute(const std::string& key) const {
  const TensorPtr* v = find<TensorPtr>(*this, key);
  return v ? *v : nullptr;
}

}  // namespace macec
