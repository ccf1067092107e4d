// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk over all operators: what each must have.
#include "compiler/ops/old_opsets.h"
#include "compiler/ops/registry.h"

#include <algorithm>
#include <map>

#include "compiler/ops/elementwise.h"
#include "tests/catch.h"

using namespace macec;

namespace {

// Names of the operators for which the claim is false.
template <class Claim>
std::string without(Claim claim) {
  std::string names;
  for (const OpDef& op : all_ops()) {
    if (!claim(op)) names += std::string(op.name) + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("every operator says in one sentence what it does") {
  CHECK(without([](const OpDef& op) { return op.doc && std::string_view(op.doc).size() > 10; }) ==
        "");
}

TEST_CASE("every operator can be inferred and evaluated") {
  CHECK(without([](const OpDef& op) { return op.infer != nullptr; }) == "");
  CHECK(without([](const OpDef& op) { return op.evaluate != nullptr; }) == "");
}

TEST_CASE("operators are sorted and their names are unique") {
  const std::vector<OpDef>& ops = all_ops();
  for (size_t i = 1; i < ops.size(); ++i) CHECK(std::string_view(ops[i - 1].name) < ops[i].name);
}

TEST_CASE("opset versions of an operator follow each other without a gap, up to the newest") {
  CHECK(without([](const OpDef& op) {
          std::map<std::pair<std::string, std::string>, std::vector<std::pair<int, int>>> ranges;
          for (const OpVersion& v : op.versions)
            ranges[{v.domain, v.type}].push_back({v.first, v.last});
          for (auto& [key, list] : ranges) {
            std::sort(list.begin(), list.end());
            for (size_t i = 1; i < list.size(); ++i) {
              if (list[i].first != list[i - 1].second + 1) return false;
            }
            const bool is_own = key.second == op.name && key.first.empty();
            if (is_own && list.back().second != kLatestOpset) return false;
            if (key.first.empty() && list.front().first < kOldestOpset) return false;
          }
          return true;
        }) == "");
}

TEST_CASE("an elementwise operator has steps, and every row of the table has a meaning and code") {
  CHECK(without([](const OpDef& op) {
          return (op.traits & kElementwise) == 0 || op.steps != nullptr;
        }) == "");
  for (const ElementwiseOp& op : elementwise_ops()) {
    INFO(op.name);
    CHECK(op.scalar_code != nullptr);
    const bool converts = op.result == ResultType::attribute_to;
    CHECK((converts || op.real || op.integer));
    CHECK((converts || (op.types & kFloats) == 0 || op.real));
    CHECK((converts || (op.types & (kIntegers | kBooleans)) == 0 || op.integer));
  }
}

TEST_CASE("operators are found by domain, type and opset") {
  CHECK(match_op("", "Clip", 7).version->importer != nullptr);
  CHECK(match_op("ai.onnx", "Clip", 13).version->importer == nullptr);
  CHECK(match_op("", "Mish", 17).def == nullptr);
  CHECK(match_op("com.vendor", "Relu", 13).def == nullptr);
}

TEST_CASE("operators of the first opsets are found in the form of opset 7, with what raises them") {
  CHECK(match_op("", "Add", 6).old_form != nullptr);
  CHECK(match_op("", "Add", 7).old_form == nullptr);
  CHECK(match_op("", "Clip", 1).version == match_op("", "Clip", 7).version);
  CHECK(match_op("", "Acos", 6).def == nullptr);
  CHECK(match_op("com.vendor", "Add", 1).def == nullptr);
  CHECK(find_old_form("Cast", 5)->raise != find_old_form("Cast", 6)->raise);
}

TEST_CASE("old forms of an operator follow each other without a gap, up to opset 6") {
  for (const OpDef& op : all_ops())
    for (int opset = 1; opset < kOldestOpset; ++opset) {
      INFO(op.name << " of opset " << opset);
      const bool was_there = opset > 1 && find_old_form(op.name, opset - 1);
      if (was_there) CHECK(find_old_form(op.name, opset) != nullptr);
      if (find_old_form(op.name, opset)) CHECK(match_op("", op.name, opset).def == &op);
    }
}
