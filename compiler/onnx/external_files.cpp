// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/external_files.h"

#include <algorithm>
#include <map>

#include "compiler/onnx/tensor_data.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

// Weights of one file that cannot be read.
struct Unreadable {
  std::string where;  // the first of them
  UserError error = UserError("");
  int64_t bytes = 0;
  int count = 0;
};

constexpr int64_t kMostBytes = int64_t{1} << 60;  // sums are for people: they stop here

std::string place_text(const onnx::TensorProto& tensor, const ExternalPlace& place) {
  if (place.length < 0 || place.offset > kMostBytes || place.length > kMostBytes)
    return describe(tensor);
  return fmt::format("{}, bytes {} to {} of it", describe(tensor), place.offset,
                     place.offset + place.length);
}

void add(std::map<std::string, Unreadable>* files, const onnx::TensorProto& tensor,
         const ExternalPlace& place, const UserError& error) {
  Unreadable& entry = (*files)[place.location];
  if (entry.count++ == 0) {
    entry.where = place_text(tensor, place);
    entry.error = error;
  }
  entry.bytes =
      std::min(kMostBytes, entry.bytes + std::clamp<int64_t>(place.length, 0, kMostBytes));
}

UserError missing_file(const std::string& model, const std::string& file, const Unreadable& entry) {
  return user_error("{} keeps {} ({}) in '{}', and that file is not beside it", model,
                    plural(entry.count, "weight"), bytes_text(entry.bytes), file)
      .hint(fmt::format(
          "PyTorch 2.9 and later write two files; copy {} beside {} under the same name", file,
          model))
      .hint("or export one file: torch.onnx.export(..., external_data=False)");
}

}  // namespace

void check_external_files(const Model& model, Diagnostics& diag) {
  std::map<std::string, Unreadable> missing, outside;
  const TensorReader reader(model.folder);
  for (const auto& tensor : model.proto->graph().initializer()) {
    if (!TensorReader::is_external(tensor)) continue;
    ExternalPlace place;
    try {
      place = TensorReader::place_of(tensor);
    } catch (const UserError& error) {
      diag.add(error, describe(tensor));
      continue;
    }
    try {
      if (reader.find_external(place).empty()) add(&missing, tensor, place, UserError(""));
    } catch (const UserError& error) {
      add(&outside, tensor, place, error);
    }
  }
  const auto where = [](const Unreadable& entry) {
    return entry.count > 1 ? fmt::format("{}; {} more", entry.where, entry.count - 1) : entry.where;
  };
  const std::string name = printable(base_name(model.path));
  for (const auto& [location, entry] : missing)
    diag.add(missing_file(name, printable(location), entry), where(entry));
  for (const auto& [location, entry] : outside) diag.add(entry.error, where(entry));
}

}  // namespace macec
