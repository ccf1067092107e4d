// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a generated model once and prints what the mock saw: copies MOCK; compiled with
// -DHEADER='"kws.h"' -DMODEL=kws. First compares the GPU's answer with the CPU plan's.
#include HEADER

#include <cmath>

#include "runtime_stub/gpu_draw.h"
#include "tests/opencl/stub/session.h"

#define JOINED(a, b) a##b
#define FUNCTION(name) JOINED(name, _model)

namespace {

struct Run {
  Session session{FUNCTION(MODEL)()};
  std::vector<std::vector<float>> in, out;

  macec_status go() {
    const macec_model& model = *session.model;
    std::vector<macec_in> ins;
    std::vector<macec_out> outs;
    in.clear();
    out.clear();
    for (uint32_t i = 0; i < model.n_in; ++i) {
      in.emplace_back(model.in[i].max_bytes / 4);
      draw_elements(in.back().data(), 1, in.back().size(), -1, 1, i);
      ins.push_back({in.back().data(), model.in[i].max_bytes});
    }
    for (uint32_t i = 0; i < model.n_out; ++i) {
      out.emplace_back(model.out[i].max_bytes / 4);
      outs.push_back({out.back().data(), model.out[i].max_bytes});
    }
    return model.run(session.context, nullptr, ins.data(), outs.data());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !load_mock(argv[1])) return 2;
  Run cpu, gpu;
  cpu.session.opencl.library = "/nowhere";
  CHECK(cpu.session.open() == MACEC_OK && cpu.go() == MACEC_OK);
  CHECK(gpu.session.open() == MACEC_OK && gpu.session.is_on_gpu());
  if (check_failures) return check_result();
  mock_reset_all();
  CHECK(gpu.go() == MACEC_OK && gpu.session.is_on_gpu());
  const MockControl seen = *mock;
  for (size_t i = 0; i < cpu.out.size(); ++i) {
    float most = 0, apart = 0;
    for (size_t k = 0; k < cpu.out[i].size(); ++k) {
      most = std::max(most, std::abs(cpu.out[i][k]));
      apart = std::max(apart, std::abs(cpu.out[i][k] - gpu.out[i][k]));
    }
    CHECK(most > 0 && apart <= 1e-4f * most);
  }
  printf("launch %ld\nupload %ld %llu\ndownload %ld %llu\nmap %ld %llu\nunmap %ld\nother %ld\n",
         seen.count[kMockEnqueueNDRangeKernel], seen.count[kMockEnqueueWriteBuffer],
         seen.bytes_written, seen.count[kMockEnqueueReadBuffer], seen.bytes_read,
         seen.count[kMockEnqueueMapBuffer], seen.bytes_mapped,
         seen.count[kMockEnqueueUnmapMemObject], seen.count[kMockEnqueueWriteImage]);
  return check_result();
}
