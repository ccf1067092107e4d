// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights of a model: one block of bytes, in the source, beside it, or loaded by the app.
//
// Pasted into the unnamed namespace of a generated .cpp, behind context.h.
#pragma once
#include "runtime_stub/context.h"

// A block of weights:
//
//   byte  0  magic "macec\0w1"    8  layout id    16  bytes, head included    24  hash of bytes 64..
//        32  zero                64  the packed weights
//
// Numbers are little-endian. A block needs alignment 4 only (an asset of an app has no more), so
// its head is read by memcpy. The layout id says that the code fits, not which values there are.
struct BlobHead {
  unsigned char magic[8];
  uint64_t layout, bytes, hash, zero[4];
};
static_assert(sizeof(BlobHead) == kBlobHead, "the head of a blob has a fixed size");

// Word by word; the last word is filled up with zeros. compiler/emit/weights.cpp computes the same.
[[maybe_unused]] uint64_t blob_hash(const unsigned char* data, uint64_t bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes;
  for (uint64_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, data + i, static_cast<size_t>(bytes - i < 8 ? bytes - i : 8));
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

[[maybe_unused]] macec_status check_blob(const Model& model, const void* blob, size_t bytes,
                                         bool verify, macec_error* error) {
  const macec_status foreign = MACEC_E_WEIGHTS;
  if (!blob) return fail(model, error, MACEC_E_ARG, "the weights are NULL");
  const int64_t past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(blob) % 4);
  if (past)
    return fail(model, error, MACEC_E_ALIGN, "address of the weights modulo 4", -1, past, 0);
  if (!model.weights_bytes) return fail(model, error, foreign, "this model has no weights to bind");
  BlobHead head = {};
  if (bytes < sizeof head) {
    return fail(model, error, MACEC_E_SMALL, "bytes of the weights", -1,
                static_cast<int64_t>(bytes), static_cast<int64_t>(model.weights_bytes));
  }
  memcpy(&head, blob, sizeof head);
  if (memcmp(head.magic, "macec\0w1", 8) != 0) {
    return fail(model, error, foreign, "these bytes are no weights of macec");
  }
  if (head.layout != model.head.weights_layout || head.bytes != model.weights_bytes) {
    return fail(model, error, foreign, "these weights belong to another model: layout id", -1,
                static_cast<int64_t>(head.layout), static_cast<int64_t>(model.head.weights_layout));
  }
  if (bytes < head.bytes) {
    return fail(model, error, MACEC_E_SMALL, "bytes of the weights", -1,
                static_cast<int64_t>(bytes), static_cast<int64_t>(head.bytes));
  }
  const unsigned char* first = static_cast<const unsigned char*>(blob) + kBlobHead;
  if (verify && blob_hash(first, head.bytes - kBlobHead) != head.hash) {
    return fail(model, error, MACEC_E_HASH, "the weights are damaged: their hash differs");
  }
  return MACEC_OK;
}

[[maybe_unused]] macec_status bind_weights(const Model& model, macec_weights* weights,
                                           const void* blob, size_t bytes, int verify,
                                           const macec_options* options) {
  macec_error* const error = options ? options->error : nullptr;
  if (!weights) return fail(model, error, MACEC_E_ARG, "the macec_weights to fill is NULL");
  *weights = {nullptr, nullptr, 0, nullptr};
  const macec_status status = check_blob(model, blob, bytes, verify != 0, error);
  if (status == MACEC_OK) *weights = {&model.head, blob, bytes, nullptr};
  return status;
}

[[maybe_unused]] void unbind_weights(macec_weights* weights) {
  if (weights) *weights = {nullptr, nullptr, 0, nullptr};
}

// Lets a context read `weights`, or, if NULL, the ones in this file.
[[maybe_unused]] macec_status choose_weights(Context& c, const macec_weights* weights) {
  const Model& model = *c.model;
  if (!model.weights_bytes) {
    if (weights) return fail(c, MACEC_E_WEIGHTS, "this model has no weights to bind");
    return MACEC_OK;
  }
  if (!weights) {
    const unsigned char* embedded = model.embedded ? model.embedded() : nullptr;
    if (!embedded)
      return fail(c, MACEC_E_WEIGHTS,
                  "no weights: bind a weights file and pass it in options.weights");
    c.weights = embedded + kBlobHead;
    return MACEC_OK;
  }
  if (!weights->model || !weights->data)
    return fail(c, MACEC_E_WEIGHTS, "these weights are not bound");
  if (weights->model->weights_layout != model.head.weights_layout ||
      weights->bytes < model.weights_bytes) {
    return fail(c, MACEC_E_WEIGHTS, "these weights belong to another model: layout id", -1,
                static_cast<int64_t>(weights->model->weights_layout),
                static_cast<int64_t>(model.head.weights_layout));
  }
  c.weights = static_cast<const unsigned char*>(weights->data) + kBlobHead;
  return MACEC_OK;
}
