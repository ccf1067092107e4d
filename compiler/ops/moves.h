// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators that only move elements share: axes, known contents, and views made real.
#pragma once
#include <optional>
#include <vector>

#include "compiler/ops/lowering.h"

namespace macec {

constexpr int64_t kMaxKnown = 64;  // elements that are worth carrying as extents

// axis in [-rank, rank) as [0, rank). Throws UserError.
int64_t normal_axis(int64_t axis, size_t rank);
// The same for several; throws UserError where one comes twice.
std::vector<int64_t> normal_axes(const std::vector<int64_t>& axes, size_t rank);

// Elements of input i, which say how the node's output looks. Throws UserError "... is not
// supported" when they are computed from data. what: "the shape", "the axes".
const std::vector<Dim>& require_known(const InferContext& context, int i, const char* what);
// The same where only numbers will do (axes, steps).
std::vector<int64_t> require_numbers(const InferContext& context, int i, const char* what);

// Elements of a value after inference, as extents; nullopt: not known.
std::optional<std::vector<Dim>> known_elements(const Graph& graph, ValueId value);
std::vector<Dim> known_elements(const LowerContext& context, int input);  // must be known

// For evaluate: the elements of an integer input as extents.
std::vector<Dim> element_extents(const Tensor& tensor);

// The elements of a dense tensor that a view of it (fixed extents) shows.
View dense_view(const Tensor& tensor);
Tensor materialize(const Tensor& tensor, const View& view);
void copy_element(const Tensor& from, int64_t i, Tensor* to, int64_t j);

// lower of an operator whose outputs are views that need a place of their own: one copy each.
Lowered lower_as_copies(const LowerContext& context);

// Attribute `name` of an older form becomes input `index`, an int64 vector; nothing happens when it
// is absent.
void attribute_to_input(ImportContext& context, const char* name, size_t index);

}  // namespace macec
