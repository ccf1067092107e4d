// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices of steps, segments and transfers, on plans made by hand: each step has a price in
// microseconds on each device, values are of 4 KB unless said otherwise.
#include "compiler/support/error.h"
#include "passes/place_steps.h"
#include "passes/placement_cost.h"
#include "passes/plan_control.h"
#include "passes/select_plan.h"
#include "targets/opencl/gpu_row.h"
#include "tests/catch.h"

using namespace macec;

namespace {

constexpr double kNo = -1;  // the device cannot

KernelRow cpu_row() {
  KernelRow row{};
  row.name = "cpu";
  row.cycles = [](const KernelCall& call, const Capabilities&) { return call.elements; };
  return row;
}
GpuRow gpu_row() {
  GpuRow row{};
  row.name = "gpu";
  row.efficiency = 1;
  return row;
}

class Maker {
 public:
  Maker() : target_(find_target("x86-64-opencl")) {
    GpuCapabilities caps = *target_.gpu;
    caps.launch_us = 0;
    caps.map_us = 20;
    caps.mixed_us = 100;
    caps.gflops = 1;  // a FLOP a nanosecond
    caps.gbytes_per_second = 1e9;
    caps.copy_gbytes_per_second = 4.096;  // 4 KB a microsecond
    target_.gpu = std::make_shared<const GpuCapabilities>(caps);
  }

  int value(const std::string& name, Buffer::Place place = Buffer::arena, int64_t elements = 1024) {
    return add_buffer(plan, name, DType::float32, elements, place, place == Buffer::arena ? -1 : 0);
  }
  // inputs and outputs: buffers.
  void step(const std::string& name, std::vector<int> inputs, std::vector<int> outputs,
            double cpu_us, double gpu_us) {
    static const KernelRow on_cpu = cpu_row();
    static const GpuRow on_gpu = gpu_row();
    Step step;
    step.name = name;
    step.origins = {"Op '" + name + "'"};
    for (int b : inputs) step.kernel.inputs.push_back(view(b));
    for (int b : outputs) step.kernel.outputs.push_back(view(b));
    step.kernel.elements = cpu_us * 2500;  // cycles
    step.kernel.multiply_adds = (gpu_us * 1e3 - step.kernel.elements) / 2;
    if (cpu_us != kNo) step.kernel.rows.assign(target_.levels.size(), &on_cpu);
    if (gpu_us != kNo) step.kernel.gpu_row = &on_gpu;
    if (gpu_us == kNo) step.kernel.gpu_refusal = "no OpenCL kernel for " + name;
    plan.steps.push_back(std::move(step));
  }
  void place(const PlaceOptions& options = {}) {
    number_steps(plan);
    place_steps(plan, target_, options);
  }
  std::string devices() const {
    std::string text;
    for (const Step& s : plan.steps) text += s.device == Device::gpu ? 'g' : 'c';
    return text;
  }
  std::string names() const {
    std::string text;
    for (const Step& s : plan.steps) text += s.name;
    return text;
  }
  // "upload x 0, map a 1".
  std::string transfers() const {
    static const char* const kinds[] = {"upload", "download", "map", "unmap"};
    std::string text;
    for (const Transfer& t : plan.gpu->transfers)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", kinds[t.kind],
                          plan.buffers[static_cast<size_t>(t.buffer)].name, t.segment);
    return text;
  }
  const Target& target() const { return target_; }

  Plan plan;

 private:
  View view(int buffer) const {
    const Buffer& b = plan.buffers[static_cast<size_t>(buffer)];
    return dense_view(buffer, {b.dtype, {b.elements}});
  }
  Target target_;
};

// x -> a -> b -> c -> y, where `odd` replaces the prices of b.
Maker chain(double odd_cpu, double odd_gpu) {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), b = m.value("vb"),
            y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1000, 50);
  m.step("b", {a}, {b}, odd_cpu, odd_gpu);
  m.step("c", {b}, {y}, 1000, 50);
  return m;
}

std::string refused(Maker m, const PlaceOptions& options) {
  try {
    m.place(options);
  } catch (const UserError& error) {
    std::string text = error.what();
    for (const std::string& place : error.places()) text += "; " + place;
    return text;
  }
  return "";
}

}  // namespace

TEST_CASE("what the GPU does faster is one segment with input and output only") {
  Maker m = chain(1000, 50);
  m.place();
  CHECK(m.devices() == "ggg");
  CHECK(m.transfers() == "upload x 0, download y 1");
}

TEST_CASE("a small step in the middle stays where its neighbours are") {
  Maker m = chain(1, 6);
  m.place();
  CHECK(m.devices() == "ggg");
}

TEST_CASE("a small step at the end stays on the GPU") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1000, 50);
  m.step("b", {a}, {y}, 1, 6);
  m.place();
  CHECK(m.devices() == "gg");
}

TEST_CASE("a step that only the CPU can do makes three segments") {
  Maker m = chain(1, kNo);
  m.place();
  CHECK(m.devices() == "gcg");
  REQUIRE(m.plan.gpu->segments.size() == 3);
  CHECK(m.transfers() == "upload x 0, map va 1, map vb 1, unmap va 2, unmap vb 2, download y 3");
  CHECK(m.plan.steps[1].reason == "no OpenCL kernel for b");
}

TEST_CASE("a step that is much cheaper on the CPU goes there, and says so") {
  Maker m = chain(1, 5000);
  m.place();
  CHECK(m.devices() == "gcg");
  CHECK(m.plan.steps[1].reason == "cheaper: 1.0 us on the CPU, 4818 us on the GPU with copies");
}

TEST_CASE("a model that is cheap on the CPU has no GPU plan") {
  Maker m;
  const int x = m.value("x", Buffer::input), y = m.value("y", Buffer::output);
  m.step("a", {x}, {y}, 10, 6);
  m.place();
  CHECK(m.devices() == "c");
  CHECK_FALSE(m.plan.gpu.has_value());
}

TEST_CASE("a value is paid for once however many steps read it") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va", Buffer::arena, 1024 * 100),
            y = m.value("y", Buffer::output), z = m.value("z", Buffer::output);
  m.step("a", {x}, {a}, 1000, kNo);
  m.step("b", {a}, {y}, 200, 10);  // alone neither is worth 140 us of copies and 100 of mixing
  m.step("c", {a}, {z}, 200, 10);
  m.place();
  CHECK(m.devices() == "cgg");
}

TEST_CASE("the CPU reads an input that kernels read, too, in the app's memory") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1000, 50);
  m.step("b", {x, a}, {y}, 1, kNo);
  m.place();
  CHECK(m.transfers() == "upload x 0, map va 1, unmap va 2");
}

TEST_CASE("an output that both devices write is shared and downloaded") {
  Maker m;
  const int x = m.value("x", Buffer::input), y = m.value("y", Buffer::output);
  m.step("a", {x}, {y}, 1000, 50);
  m.step("b", {x}, {y}, 1, kNo);
  m.place();
  CHECK(m.transfers() == "upload x 0, map y 1, unmap y 2, download y 2");
}

TEST_CASE("steps of one device are brought together") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), b = m.value("vb"),
            c = m.value("vc"), y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1, kNo);
  m.step("b", {x}, {b}, 1000, 50);
  m.step("c", {a}, {c}, 1, kNo);
  m.step("d", {b, c}, {y}, 1000, 50);
  m.place();
  CHECK(m.names() == "acbd");
  CHECK(m.plan.gpu->segments.size() == 2);
}

TEST_CASE("steps are not brought together across what they need") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1, kNo);
  m.step("b", {a}, {y}, 1000, 50);
  m.step("c", {y}, {a}, 1, kNo);  // overwrites what b reads
  m.step("d", {a}, {y}, 1000, 50);
  m.place();
  CHECK(m.names() == "abcd");
}

TEST_CASE("the user's word is kept") {
  Maker m = chain(1000, 50);
  m.place({{{"b", Device::cpu}}, false});
  CHECK(m.devices() == "gcg");
  CHECK(m.plan.steps[1].reason == "placed by --place");
}

TEST_CASE("the last rule that fits decides") {
  Maker m = chain(1000, 50);
  m.place({{{"all", Device::cpu}, {"*", Device::gpu}, {"c", Device::cpu}}, false});
  CHECK(m.devices() == "ggc");
}

TEST_CASE("all on the CPU leaves no GPU plan") {
  Maker m = chain(1000, 50);
  m.place({{{"all", Device::cpu}}, false});
  CHECK_FALSE(m.plan.gpu.has_value());
}

TEST_CASE("all on the GPU leaves what it cannot do") {
  Maker m = chain(1, kNo);
  m.place({{{"all", Device::gpu}}, false});
  CHECK(m.devices() == "gcg");
}

TEST_CASE("a named node must go where it is put") {
  CHECK(refused(chain(1, kNo), {{{"b", Device::gpu}}, false}) ==
        "the GPU cannot do 1 step that --place puts there; Op 'b': no OpenCL kernel for b");
  CHECK(refused(chain(kNo, 50), {{{"b", Device::cpu}}, false}) ==
        "the CPU has no kernel for what --place puts there; Op 'b'");
}

TEST_CASE("no fall-back lists all that the GPU cannot do") {
  Maker m = chain(1, kNo);
  m.step("d", {}, {m.value("z", Buffer::output)}, 1, kNo);
  CHECK(refused(m, {{}, true}) ==
        "the GPU cannot do 2 steps; Op 'b': no OpenCL kernel for b; Op 'd': no OpenCL kernel for d");
  CHECK(refused(m, {{{"b", Device::cpu}, {"d", Device::cpu}}, true}).empty());
}

TEST_CASE("no fall-back puts all on the GPU, whatever it costs") {
  Maker m = chain(1, 5000);
  m.place({{}, true});
  CHECK(m.devices() == "ggg");
}

// Random plans: the devices chosen cost the least of all.
TEST_CASE("drawn plans are placed at the least cost") {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    uint32_t state = seed * 7919;
    const auto draw = [&](uint32_t n) {
      state = state * 1664525u + 1013904223u;
      return static_cast<int>((state >> 8) % n);
    };
    Maker m;
    std::vector<int> values = {m.value("x", Buffer::input, 1024 * (1 + draw(60)))};
    for (int s = 0; s < 8; ++s) {
      const auto place = s == 7 ? Buffer::output : Buffer::arena;
      const int out = m.value(fmt::format("v{}", s), place, 1024 * (1 + draw(60)));
      const int a = values[static_cast<size_t>(draw(static_cast<uint32_t>(values.size())))];
      const int kind = draw(8);
      m.step(fmt::format("s{}", s), {a, values.back()}, {out}, kind == 0 ? kNo : 1 + draw(300),
             kind == 1 ? kNo : 1 + draw(150));
      values.push_back(out);
    }
    number_steps(m.plan);
    const PlacementCosts costs = placement_costs(m.plan, m.target());
    int64_t least = INT64_MAX;
    for (unsigned set = 0; set < 256; ++set) {
      std::vector<Device> devices;
      bool is_possible = true;
      for (size_t s = 0; s < 8; ++s) {
        devices.push_back((set >> s & 1) != 0 ? Device::gpu : Device::cpu);
        is_possible = is_possible && costs.steps[s].on(devices[s]) != PlacementCosts::kImpossible;
      }
      if (is_possible) least = std::min(least, costs.total(devices));
    }
    m.place();
    std::vector<Device> chosen(8);
    for (const Step& s : m.plan.steps) chosen[static_cast<size_t>(s.name[1] - '0')] = s.device;
    REQUIRE(costs.total(chosen) == least);
  }
}

TEST_CASE("borders hold their memory for whole segments") {
  Maker m;
  const int x = m.value("x", Buffer::input), a = m.value("va"), b = m.value("vb"),
            c = m.value("vc"), y = m.value("y", Buffer::output);
  m.step("a", {x}, {a}, 1000, 50);
  m.step("b", {a}, {b}, 1, kNo);  // va dies here, vc is made behind it in the same segment
  m.step("c", {b}, {c}, 1, kNo);
  m.step("d", {c}, {y}, 1000, 50);
  m.place();
  plan_memory(m.plan, 1);
  const Buffer &va = m.plan.buffers[static_cast<size_t>(a)],
               &vc = m.plan.buffers[static_cast<size_t>(c)];
  CHECK(va.home == Buffer::shared);
  CHECK(va.object != vc.object);
  CHECK(m.plan.buffers[static_cast<size_t>(b)].home == Buffer::host);
  CHECK(m.plan.gpu->shared.size() == 4);
  CHECK(m.plan.gpu->shared_bytes == m.plan.gpu->shared_live_bytes);
}
