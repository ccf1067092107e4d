// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the OpenCL calls of a session fail, one per session, and all from one on:
//
//   faults MOCK FOLDER most=N [own]      compiled with -DHEADER='"kws.h"' -DMODEL=kws
//
// A session opens the model, runs it, submits, resets states, runs again, and closes. Every answer
// must be that of a context without OpenCL, every status 0; a model without a CPU plan may say
// MACEC_E_DEVICE instead. Nothing may be left over: objects, file descriptors, temporary files.
// Linked with --wrap=mmap,--wrap=munmap, so that pages that generated code takes are counted.
// FOLDER is for the cache: sessions start with an empty one and with a full one. N: sessions of each
// kind; where a session has more calls, drawn ones fail. own: the device has memory of its own.
#include HEADER

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "runtime_stub/gpu_draw.h"
#include "session.h"

#define JOINED(a, b) a##b
#define FUNCTION(name) JOINED(name, _model)

long pages_taken = 0;  // mappings that generated code has now
extern "C" {
void* __real_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void* at, size_t bytes);
void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  ++pages_taken;
  return __real_mmap(at, bytes, protection, flags, file, offset);
}
int __wrap_munmap(void* at, size_t bytes) {
  --pages_taken;
  return __real_munmap(at, bytes);
}
}

namespace {

const macec_model* const model = FUNCTION(MODEL)();
std::string folder;

struct Buffers {
  std::vector<std::vector<unsigned char>> data;
  std::vector<macec_in> in;
  std::vector<macec_out> out;
};

Buffers inputs(uint64_t seed) {
  Buffers b;
  for (uint32_t i = 0; i < model->n_in; ++i) {
    const macec_tensor& t = model->in[i];
    b.data.emplace_back(t.max_bytes);
    const bool is_real = draw_is_real(t.dtype);
    draw_elements(b.data.back().data(), t.dtype, t.max_bytes * 8 / draw_bits(t.dtype),
                  is_real ? -1 : 0, 1, seed * 16 + i);
    b.in.push_back({b.data.back().data(), t.max_bytes});
  }
  return b;
}

// The outputs of a whole session, as numbers.
struct Answers {
  std::vector<std::vector<double>> runs;
};

bool is_near(const std::vector<double>& have, const std::vector<double>& need) {
  double most = 1e-6;
  for (const double n : need) most = std::max(most, std::abs(n));
  for (size_t i = 0; i < need.size(); ++i)
    if (!(std::abs(have[i] - need[i]) <= 1e-3 * most)) return false;
  return have.size() == need.size();
}

struct Outcome {
  bool is_open = false, has_failed = false;
  uint32_t device = 0;
  std::string text;
};

// reference: what must come out; nullptr: *made is filled.
struct Script {
  Session session{model};
  const Answers* reference;
  Answers* made;
  size_t at = 0;
  Outcome outcome;

  void compare(macec_status status, const Buffers& b) {
    const size_t run = at++;
    if (status == MACEC_E_DEVICE) {
      outcome.has_failed = true;
      return;
    }
    CHECK(status == MACEC_OK);
    std::vector<double> values;
    for (uint32_t i = 0; i < model->n_out; ++i) {
      const macec_tensor& t = model->out[i];
      for (size_t k = 0; k < t.max_bytes * 8 / draw_bits(t.dtype); ++k)
        values.push_back(draw_load(b.out[i].data, t.dtype, k));
    }
    if (made) made->runs.push_back(values);
    if (reference && !outcome.has_failed) CHECK(is_near(values, reference->runs[run]));
  }

  void run(uint64_t seed, bool submits, bool in_place) {
    Buffers b = inputs(seed);
    for (uint32_t i = 0; i < model->n_out; ++i) {
      b.data.emplace_back(model->out[i].max_bytes);
      b.out.push_back({b.data.back().data(), model->out[i].max_bytes});
    }
    std::vector<macec_in> in = b.in;
    if (in_place) {
      void* const memory = model->input(session.context, 0);
      if (memory) memcpy(memory, in[0].data, in[0].bytes);
      if (memory) in[0].data = memory;
    }
    macec_status status = MACEC_OK;
    if (submits) {
      status = macec_submit(session.context, nullptr, in.data(), b.out.data());
      if (status == MACEC_PENDING)
        status = macec_wait(session.context, seed % 2 ? UINT32_MAX : 60000);
    } else {
      status = model->run(session.context, nullptr, in.data(), b.out.data());
    }
    compare(status, b);
  }

  void play(const char* cache) {
    session.opencl.cache_dir = cache;
    outcome.is_open = session.open() == MACEC_OK;
    if (!outcome.is_open) {
      CHECK(session.error.status == MACEC_E_DEVICE && session.context == nullptr);
      return;
    }
    run(1, false, false);
    run(2, true, false);
    run(3, true, true);
    if (outcome.has_failed) CHECK(model->reset(session.context) == MACEC_OK);
    run(4, false, true);
    CHECK(model->reset(session.context) == MACEC_OK);
    run(5, false, false);
    outcome.device = session.report().device;
    outcome.text = session.report().text;
    session.close();
  }
};

int entries(const char* path) {
  int n = 0;
  DIR* const directory = opendir(path);
  if (!directory) return -1;
  while (readdir(directory)) ++n;
  closedir(directory);
  return n;
}

void empty_folder() {
  const std::string command = "rm -rf '" + folder + "' && mkdir -p '" + folder + "'";
  if (system(command.c_str()) != 0) exit(2);
}

bool has_cpu_plan = true, is_discrete = false;

// One session whose n-th call fails (or the n-th and all that follow).
void one_session(const Answers& reference, long n, bool is_lost, bool is_full) {
  const int before = check_failures;
  if (!is_full) empty_folder();
  const int files = entries("/proc/self/fd");
  mock_reset_all();
  mock->is_discrete = is_discrete;
  (is_lost ? mock->lost_from : mock->fail_at) = n;
  Script script{Session(model), &reference, nullptr, 0, {}};
  script.play(folder.c_str());
  if (has_cpu_plan) {
    // In-place input is the one thing that a dead device can take along.
    const bool is_lost_input = script.session.error_text().find("is lost") != std::string::npos;
    CHECK(script.outcome.is_open && (!script.outcome.has_failed || is_lost_input));
    CHECK(script.session.warnings() <= 1);
  }
  if (script.outcome.is_open && script.outcome.device == MACEC_ON_CPU)
    CHECK(script.session.warnings() >= 1);
  CHECK(live_objects() == 0 && pages_taken == 0);
  CHECK(entries("/proc/self/fd") == files);
  CHECK(entries(folder.c_str()) <= 3);
  if (check_failures != before) {
    printf("  call %ld (%s)%s, cache %s%s: %s\n", n, mock->failed ? mock->failed : "none",
           is_lost ? " and all behind it" : "", is_full ? "full" : "empty",
           is_discrete ? ", own memory" : "", script.outcome.text.c_str());
  }
  if (is_full && entries(folder.c_str()) != 3) CHECK(!"the file in the cache is gone");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || !load_mock(argv[1])) return 2;
  folder = argv[2];
  const long most = atol(argv[3] + strlen("most="));
  is_discrete = argc > 4;
  Answers reference;
  Script cpu{Session(model), nullptr, &reference, 0, {}};
  cpu.session.opencl.library = "/nowhere";
  cpu.play(nullptr);
  has_cpu_plan = cpu.outcome.is_open;
  if (!has_cpu_plan) {
    reference = Answers();
    Script gpu{Session(model), nullptr, &reference, 0, {}};
    gpu.play(nullptr);
  }
  long sessions = 0;
  for (const bool is_full : {false, true}) {
    empty_folder();
    mock_reset_all();
    Script fill{Session(model), &reference, nullptr, 0, {}};
    fill.play(folder.c_str());
    CHECK(fill.outcome.device == MACEC_ON_GPU);
    if (is_full) {
      mock_reset_all();
      Script again{Session(model), &reference, nullptr, 0, {}};
      again.play(folder.c_str());
      CHECK(mock->count[kMockCreateProgramWithSource] == 0);
    }
    const long calls = mock->calls;
    for (const bool is_lost : {false, true}) {
      for (long i = 1; i <= std::min(most, calls); ++i, ++sessions) {
        const long drawn = 1 + static_cast<long>(draw_word(is_lost, static_cast<uint64_t>(i)) %
                                                 static_cast<uint64_t>(calls));
        one_session(reference, calls <= most ? i : drawn, is_lost, is_full);
      }
    }
    printf("%ld calls a session, cache %s\n", calls, is_full ? "full" : "empty");
  }
  printf("%ld sessions\n", sessions);
  return check_result();
}
