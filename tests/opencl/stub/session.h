// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the test programs of this folder share: the mock library, and a context with what it said.
#pragma once
#include <dlfcn.h>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/abi/check.h"
#include "tests/opencl/mock/mock.h"

inline std::string mock_path;
inline MockControl* mock;
inline mock_reset_function mock_reset_all;

// Loads the mock; path of it is an argument of the program.
inline bool load_mock(const char* path) {
  mock_path = path;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return printf("%s\n", dlerror()), false;
  const auto control = reinterpret_cast<mock_control_function>(dlsym(library, "mock_control"));
  mock_reset_all = reinterpret_cast<mock_reset_function>(dlsym(library, "mock_reset"));
  mock = control();
  mock_reset_all();
  return true;
}

// Objects that live: all of them belong to open contexts.
inline long live_objects() {
  long sum = 0;
  for (const long n : mock->live) sum += n;
  return sum;
}

struct Session {
  const macec_model* model;
  macec_opencl opencl = macec_opencl_defaults();
  macec_options options = macec_defaults();
  macec_error error{};
  std::vector<unsigned char> memory;
  std::vector<std::string> lines;  // "1 duo: runs on the CPU: ..."
  bool is_cancelled = false;
  macec_ctx* context = nullptr;

  explicit Session(const macec_model* m) : model(m) {
    opencl.library = mock_path.c_str();
    options.next = &opencl;
    options.error = &error;
    options.user = this;
    options.log = [](void* user, int severity, const char* text) {
      static_cast<Session*>(user)->lines.push_back(std::to_string(severity) + " " + text);
    };
    options.cancelled = [](void* user) {
      return static_cast<Session*>(user)->is_cancelled ? 1 : 0;
    };
  }
  ~Session() { close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  macec_status open() {
    memory.assign(model->memory_bytes, 0xa5);
    return model->open(&context, memory.data(), memory.size(), &options);
  }
  void close() {
    if (context) model->close(context);
    context = nullptr;
  }
  macec_report report() const {
    macec_report r;
    macec_get_report(context, &r);
    return r;
  }
  bool is_on_gpu() const { return report().device == MACEC_ON_GPU; }
  int warnings() const {
    int n = 0;
    for (const std::string& line : lines) n += line[0] != '0';
    return n;
  }
  std::string error_text() const {
    char text[300];
    return macec_error_text(&error, text, sizeof text);
  }
};
