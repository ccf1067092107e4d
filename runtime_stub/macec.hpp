// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ over any generated model: contexts that close themselves, buffers that know their size. Not part of generated
// files: copy it beside them and include it after a generated header. C++17, without exceptions and RTTI.
//
//   #include "kws.h"
//   #include "macec.hpp"
//
//   macec::Context kws(kws_model());                          allocates kws_model()->memory_bytes
//   if (!kws) return puts(kws.error_text().c_str());
//   std::vector<float> audio(490); std::array<float, 12> scores;
//   macec_status status = kws.run({}, {audio}, {scores});     dims, inputs, outputs
//   kws_run(kws.as<kws_ctx>(), audio.data(), scores.data());  the typed functions work, too
#pragma once
#ifndef MACEC_LAYER_1
#error "include a generated header before macec.hpp"
#endif
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace macec {

// An input: a pointer and a number of elements, or anything contiguous (array, std::vector, std::array).
struct In : macec_in {
  template <class T>
  In(const T* first, std::size_t count) : macec_in{first, count * sizeof(T)} {}
  template <class T, std::size_t N>
  In(const T (&array)[N]) : macec_in{array, sizeof array} {}  // NOLINT: implicit on purpose
  template <class Container, class = decltype(std::declval<const Container&>().data())>
  In(const Container& c)  // NOLINT
      : macec_in{c.data(), c.size() * sizeof(*c.data())} {}
};

// An output, in the same forms; nullptr: not wanted.
struct Out : macec_out {
  template <class T, class = std::enable_if_t<!std::is_const<T>::value>>
  Out(T* first, std::size_t count) : macec_out{first, count * sizeof(T)} {}
  template <class T, std::size_t N, class = std::enable_if_t<!std::is_const<T>::value>>
  Out(T (&array)[N]) : macec_out{array, sizeof array} {}  // NOLINT
  template <class Container, class = decltype(std::declval<Container&>().data())>
  Out(Container& c)  // NOLINT
      : macec_out{c.data(), c.size() * sizeof(*c.data())} {}
  Out(std::nullptr_t) : macec_out{nullptr, 0} {}  // NOLINT
};

// Weights that the app has loaded or mapped; keep the block as long as contexts use them.
class Weights {
 public:
  Weights(const macec_model* model, const void* block, std::size_t bytes, bool verify = false)
      : model_(model), status_(model->bind(&weights_, block, bytes, verify, nullptr)) {}
  ~Weights() { model_->unbind(&weights_); }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  macec_status status() const { return status_; }
  explicit operator bool() const { return status_ == MACEC_OK; }
  const macec_weights* get() const { return &weights_; }

 private:
  const macec_model* model_;
  macec_weights weights_{};
  macec_status status_;
};

static_assert(sizeof(In) == sizeof(macec_in) && sizeof(Out) == sizeof(macec_out), "arrays of them");

// One opened model with its memory. Serves one thread at a time; can be moved, not copied.
class Context {
 public:
  // memory: model->memory_bytes that stay yours; nullptr: the context allocates them.
  explicit Context(const macec_model* model, macec_options options = macec_defaults(), void* memory = nullptr)
      : model_(model), error_(new (std::nothrow) macec_error()) {
    if (!error_) return;
    options.error = error_.get();
    if (!memory) {
      memory_.reset(new (std::nothrow) unsigned char[model->memory_bytes]);
      memory = memory_.get();
    }
    status_ = model->open(&context_, memory, model->memory_bytes, &options);
  }
  ~Context() { macec_close(context_); }
  Context(Context&& other) noexcept
      : model_(other.model_), error_(std::move(other.error_)), memory_(std::move(other.memory_)),
        context_(std::exchange(other.context_, nullptr)), status_(std::exchange(other.status_, MACEC_E_STATE)) {}
  Context& operator=(Context&& other) noexcept {
    Context taken(std::move(other));
    std::swap(model_, taken.model_);
    std::swap(error_, taken.error_);
    std::swap(memory_, taken.memory_);
    std::swap(context_, taken.context_);
    std::swap(status_, taken.status_);
    return *this;
  }

  // Whether it is open; if not, status() and error_text() say why.
  explicit operator bool() const { return context_ != nullptr; }
  macec_status status() const { return status_; }  // of the last call
  std::string error_text() const {
    if (!error_ || status_ == MACEC_OK) return "";
    char text[256];
    return macec_error_text(error_.get(), text, sizeof text);
  }

  macec_status run(std::initializer_list<std::int64_t> dims, std::initializer_list<In> in,
                   std::initializer_list<Out> out) {
    if (!counts_fit(dims, in, out)) return status_;
    return status_ = macec_run(context_, dims.begin(), in.begin(), out.begin());
  }

  // Memory of an input that run() reads without a copy, until the next run; nullptr: there is none.
  void* input(std::uint32_t in) { return context_ ? model_->input(context_, in) : nullptr; }

#ifdef MACEC_LAYER_2
  // Where it runs, and why not on the GPU.
  macec_report report() const {
    macec_report r = {MACEC_ON_CPU, MACEC_E_STATE, "", "", nullptr, nullptr, nullptr, nullptr};
    if (context_) macec_get_report(context_, &r);
    return r;
  }
  bool is_on_gpu() const { return report().device == MACEC_ON_GPU; }

  // MACEC_PENDING: it runs; keep the buffers and wait(). Else as run().
  macec_status submit(std::initializer_list<std::int64_t> dims, std::initializer_list<In> in,
                      std::initializer_list<Out> out) {
    if (!counts_fit(dims, in, out)) return status_;
    return status_ = context_ ? macec_submit(context_, dims.begin(), in.begin(), out.begin()) : macec_status{MACEC_E_ARG};
  }
  macec_status wait(std::uint32_t milliseconds = UINT32_MAX) {
    return status_ = context_ ? macec_wait(context_, milliseconds) : macec_status{MACEC_E_ARG};
  }
#endif

  // Extents of an output in the last run; empty if there was none.
  std::vector<std::int64_t> shape(std::uint32_t out) const {
    std::vector<std::int64_t> dims;
    if (!context_ || out >= model_->n_out) return dims;
    dims.resize(model_->out[out].rank);
    std::int64_t none = 0;
    if (model_->shape(context_, out, dims.empty() ? &none : dims.data()) != MACEC_OK) dims.clear();
    return dims;
  }

  macec_status reset() { return status_ = context_ ? model_->reset(context_) : macec_status{MACEC_E_ARG}; }
  macec_status use(const Weights& weights) {
    return status_ = context_ ? model_->use(context_, weights.get()) : macec_status{MACEC_E_ARG};
  }

  const macec_model& model() const { return *model_; }
  macec_ctx* get() const { return context_; }
  template <class Typed>  // as<kws_ctx>() for kws_run and the like
  Typed* as() const {
    return reinterpret_cast<Typed*>(context_);
  }

 private:
  bool counts_fit(std::initializer_list<std::int64_t> dims, std::initializer_list<In> in, std::initializer_list<Out> out) {
    status_ = MACEC_OK;
    if (dims.size() != model_->n_dim) wrong_count("number of dimensions", dims.size(), model_->n_dim);
    else if (in.size() != model_->n_in) wrong_count("number of inputs", in.size(), model_->n_in);
    else if (out.size() != model_->n_out) wrong_count("number of outputs", out.size(), model_->n_out);
    return status_ == MACEC_OK;
  }
  macec_status wrong_count(const char* what, std::size_t have, std::size_t need) {
    if (error_) {
      *error_ = {MACEC_E_ARG, -1, model_->name, what, static_cast<std::int64_t>(have), static_cast<std::int64_t>(need)};
    }
    return status_ = MACEC_E_ARG;
  }

  const macec_model* model_;
  std::unique_ptr<macec_error> error_;  // stays where it is when the context moves
  std::unique_ptr<unsigned char[]> memory_;
  macec_ctx* context_ = nullptr;
  macec_status status_ = MACEC_E_ARG;
};

}  // namespace macec
