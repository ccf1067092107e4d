// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The self-check: drivers that compile a program wrongly exist, so a program is tried once on drawn
// inputs, and its answer compared with what the compiler recorded. The program's file in the cache
// keeps that it passed.
//
// Runs when a model is being opened: states are zero, and nothing waits. Inputs and outputs are in
// pages of the system that are given back at once.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_draw.h,
// gpu_memory.h and run.h.
#pragma once
#include "runtime_stub/gpu_draw.h"
#include "runtime_stub/gpu_memory.h"
#include "runtime_stub/run.h"

// "1.2346e-03": five digits, for messages.
[[maybe_unused]] void gpu_put_number(GpuText& text, double value) {
  if (!(value - value == 0)) {  // infinite or not a number
    text.add(value > 0 ? "inf" : value < 0 ? "-inf" : "nan");
    return;
  }
  if (value < 0) text.add("-");
  double rest = value < 0 ? -value : value;
  int64_t exponent = 0;
  for (; rest >= 10; rest /= 10) ++exponent;
  for (; rest > 0 && rest < 1; rest *= 10) --exponent;
  int64_t digits = static_cast<int64_t>(rest * 10000 + 0.5);
  if (digits >= 100000) {
    digits /= 10;
    ++exponent;
  }
  text.add(digits / 10000).add(".");
  for (int64_t place = 1000; place > 0; place /= 10) text.add(digits / place % 10);
  if (exponent) text.add("e").add(exponent);
}

[[maybe_unused]] bool gpu_check_output(Context& c, uint32_t output) {
  const GpuCheckOutput& check = c.model->gpu->check_output[output];
  const double most = static_cast<double>(check.tolerance) * static_cast<double>(check.magnitude);
  for (uint32_t i = 0; i < check.n_sample; ++i) {
    const uint64_t element = i * check.stride;
    const double have = draw_load(c.out[output], check.dtype, element);
    const double need = static_cast<double>(check.sample[i]);
    const double apart = have - need;
    const bool is_same = have == need || (have != have && need != need);
    if (is_same || (apart <= most && -apart <= most)) continue;
    gpu_lacks(c, "self-check failed: element of an output", static_cast<int64_t>(element), 0);
    Gpu& gpu = *c.gpu;
    gpu.item = static_cast<int32_t>(output);
    GpuText text = {gpu.text, sizeof gpu.text, 0};
    text.add("self-check failed: output ").add(int64_t{output}).add(" element ");
    text.add(static_cast<int64_t>(element)).add(" is ");
    gpu_put_number(text, have);
    text.add(", not ");
    gpu_put_number(text, need);
    return false;
  }
  return true;
}

// Places drawn inputs and room for outputs; returns the bytes, and fills them if memory is given.
[[maybe_unused]] size_t gpu_place_check(Context& c, unsigned char* memory) {
  const GpuModel& model = *c.model->gpu;
  size_t bytes = 0;
  for (uint32_t i = 0; i < c.model->head.n_in; ++i) {
    const GpuCheckInput& in = model.check_input[i];
    if (memory) {
      c.in[i] = memory + bytes;
      draw_elements(memory + bytes, in.dtype, in.elements, in.lo, in.hi, i);
    }
    bytes += aligned_up(static_cast<size_t>(in.elements * draw_bits(in.dtype) / 8) + 1);
  }
  for (uint32_t i = 0; i < c.model->head.n_out; ++i) {
    const GpuCheckOutput& out = model.check_output[i];
    if (memory) c.out[i] = memory + bytes;
    bytes += aligned_up(static_cast<size_t>(out.elements * draw_bits(out.dtype) / 8) + 1);
  }
  return bytes;
}

// A run of plan 0 in that memory, without the app's hooks.
[[maybe_unused]] macec_status gpu_run_check(Context& c) {
  const Model& m = *c.model;
  const macec_options options = c.options;
  c.options.cancelled = nullptr;
  c.options.on_step = nullptr;
  c.options.error = nullptr;
  for (uint32_t i = 0; i < m.head.n_dim; ++i) c.dim[i] = m.gpu->check_dim[i];
  take_extents(c, m.head.in, m.head.n_in, c.in_shape);
  take_extents(c, m.head.out, m.head.n_out, c.shape);
  macec_status status = m.compute ? m.compute(c) : static_cast<macec_status>(MACEC_OK);
  if (status == MACEC_OK) status = m.level[c.level].run[0](c);
  c.options = options;
  return status;
}

// Whether the recorded answer is that of the context's weights; others have other answers.
[[maybe_unused]] bool gpu_can_check(const Context& c) {
  const Model& m = *c.model;
  if (!m.gpu->check_input || !m.weights_bytes) return m.gpu->check_input != nullptr;
  BlobHead head = {};
  memcpy(&head, c.weights - kBlobHead, sizeof head);
  return head.hash == m.gpu->check_hash;
}

// False: the answer is wrong, or there was none.
[[maybe_unused]] bool gpu_check(Context& c) {
  const Model& m = *c.model;
  Pages pages = take_pages(gpu_place_check(c, nullptr));
  if (!pages.data) return gpu_lacks(c, "no memory for the self-check");
  gpu_place_check(c, pages.data);
  c.status = MACEC_OK;
  const macec_status status = gpu_run_check(c);
  bool is_right = status == MACEC_OK;
  if (status != MACEC_OK && status != MACEC_E_DEVICE) {
    gpu_lacks(c, "self-check failed: status of the run", status, 0);
  }
  for (uint32_t i = 0; i < m.head.n_out && is_right; ++i) is_right = gpu_check_output(c, i);
  if (!is_right) gpu_settle(c);
  free_pages(&pages);
  return is_right;
}
