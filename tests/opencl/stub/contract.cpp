// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an app is promised of the OpenCL half: contract MOCK FOLDER
#include "models.h"

#include <CL/cl.h>

namespace {

void runs_on_the_gpu() {
  Duo duo;
  CHECK(duo.open() == MACEC_OK);
  CHECK(duo.is_on_gpu());
  CHECK(duo.report().reason == MACEC_OK && duo.report().text[0] != '\0');
  CHECK_TEXT(duo.report().level, "portable");
  for (int i = 0; i < 5; ++i) CHECK(duo.runs_right(i));
  duo.wants_z = false;
  CHECK(duo.runs_right(9));
  CHECK(duo.model->reset(duo.context) == MACEC_OK);
  duo.h = Values();
  CHECK(duo.runs_right(3));
  CHECK(duo.warnings() == 0);
  Solo solo, lone(lone_model());
  CHECK(solo.open() == MACEC_OK && solo.is_on_gpu() && solo.runs_right(1) && solo.runs_right(2));
  CHECK(lone.open() == MACEC_OK && lone.is_on_gpu() && lone.runs_right(1));
}

void a_model_without_a_gpu_has_no_layer_2() {
  Session plain(plain_model());
  plain.opencl.need_gpu = 1;  // of no interest to it
  CHECK(plain.open() == MACEC_OK);
  CHECK(plain.model->query(2) == nullptr && !plain.is_on_gpu());
  Values x = drawn(1), z{};
  const macec_in in = {x.at, sizeof x};
  const macec_out out = {z.at, sizeof z};
  CHECK(macec_submit(plain.context, nullptr, &in, &out) == MACEC_OK);
  CHECK(macec_wait(plain.context, 0) == MACEC_OK && memcmp(&x, &z, sizeof x) == 0);
}

void copies_nothing_twice() {
  Duo duo;
  CHECK(duo.open() == MACEC_OK);
  mock_reset_all();
  CHECK(duo.runs_right(1));
  CHECK(mock->count[kMockEnqueueWriteBuffer] == 2 && mock->bytes_written == 512);  // x, h
  CHECK(mock->count[kMockEnqueueReadBuffer] == 4 && mock->bytes_read == 772);   // y, z, h', problem
  CHECK(mock->count[kMockEnqueueMapBuffer] == 1 && mock->bytes_mapped == 256);  // b
  CHECK(mock->count[kMockEnqueueNDRangeKernel] == 3 && mock->count[kMockSetKernelArg] == 0);
  CHECK(mock->count[kMockFinish] == 1);
}

void reads_an_input_in_place() {
  Solo solo;
  CHECK(solo.open() == MACEC_OK);
  for (int i = 0; i < 3; ++i) {
    float* const memory = solo.input();
    CHECK(memory != nullptr && solo.input() == memory);
    mock_reset_all();
    CHECK(solo.runs_right(i, memory));
    CHECK(mock->bytes_written == 0 && mock->count[kMockEnqueueUnmapMemObject] == 1);
  }
  CHECK(solo.input() != nullptr && solo.runs_right(7));  // not used after all
  CHECK(solo.model->input(solo.context, 1) == nullptr);
  CHECK(solo.input() != nullptr);  // mapped when it is closed
}

void finds_no_library() {
  Duo duo;
  duo.opencl.library = "/nowhere/libOpenCL.so";
  CHECK(duo.open() == MACEC_OK && !duo.is_on_gpu());
  CHECK(duo.report().reason == MACEC_E_DEVICE && duo.report().context == nullptr);
  CHECK_TEXT(duo.report().text, "macec_opencl.library cannot be loaded");
  CHECK(duo.warnings() == 1);
  CHECK_TEXT(duo.lines[0], "1 duo: runs on the CPU: macec_opencl.library cannot be loaded");
  CHECK(duo.runs_right(1) && duo.runs_right(2));
  CHECK(duo.model->input(duo.context, 0) == nullptr);
  CHECK(duo.submit(3) == MACEC_OK && macec_wait(duo.context, 0) == MACEC_OK && duo.is_right());

  Duo needs;
  needs.opencl.library = "/nowhere/libOpenCL.so";
  needs.opencl.need_gpu = 1;
  CHECK(needs.open() == MACEC_E_DEVICE && needs.context == nullptr);
  CHECK_TEXT(needs.error_text(), "duo: macec_opencl.library cannot be loaded (error -49)");
  Solo lone(lone_model());
  lone.opencl.library = "/nowhere/libOpenCL.so";
  CHECK(lone.open() == MACEC_E_DEVICE && lone.context == nullptr);
  Solo stranger;  // a library without OpenCL
  stranger.opencl.library = "libm.so.6";
  CHECK(stranger.open() == MACEC_OK && stranger.runs_right(1));
  CHECK_TEXT(stranger.report().text, "the OpenCL library has no clGetPlatformIDs");
}

// Opens a session under what `set` does to the mock: on the CPU, for this reason, and right.
template <class Model, class Set>
void falls_back(const char* reason, Set set, int line) {
  const int before = check_failures;
  mock_reset_all();
  set();
  Model model;
  CHECK(model.open() == MACEC_OK);
  if (!model.context) return;
  CHECK(!model.is_on_gpu());
  CHECK_TEXT(model.report().text, reason);
  CHECK(model.warnings() >= 1);
  mock_reset_all();
  CHECK(model.runs_right(1));
  CHECK(live_objects() == 0 && mock->calls == 0);
  if (check_failures != before) printf("    of line %d\n", line);
}

void device_is_not_enough() {
  falls_back<Solo>(
      "width of an image in texels: have 3, need 4", [] { mock->max_image_width = 3; }, __LINE__);
  falls_back<Solo>(
      "height of an image in texels: have 5, need 6", [] { mock->max_image_height = 5; }, __LINE__);
  falls_back<Solo>(
      "the device has no images of float texels", [] { mock->no_image_formats = 1; }, __LINE__);
  falls_back<Duo>(
      "bytes of one buffer of the device: have 300, need 384", [] { mock->max_allocation = 300; },
      __LINE__);
  falls_back<Duo>(
      "work-items in a work-group: have 8, need 16", [] { mock->max_work_group = 8; }, __LINE__);
  falls_back<Duo>(
      "clBuildProgram failed: -11", [] { mock->fail_build = CL_BUILD_PROGRAM_FAILURE; }, __LINE__);
  for (int i = 1; i <= 9; ++i)  // arena, problem, six shared objects, weights
    falls_back<Duo>(
        "clCreateBuffer failed: -4", [i] { mock->fail_allocation = i; }, __LINE__);
  falls_back<Solo>(
      "clCreateImage failed: -4", [] { mock->fail_allocation = 3; }, __LINE__);
}

void checks_itself() {
  mock_reset_all();
  mock->corrupt_read = 1;
  Duo duo;
  CHECK(duo.open() == MACEC_OK && !duo.is_on_gpu());
  const std::string text = duo.report().text;
  CHECK(text.find("self-check failed: output 0 element 0 is ") == 0);
  CHECK(duo.warnings() == 1 && duo.runs_right(1));
  mock_reset_all();
  mock->corrupt_read = 2;
  Duo needs;
  needs.opencl.need_gpu = 1;
  CHECK(needs.open() == MACEC_E_DEVICE);
  CHECK(needs.error.item == 1 && needs.error.status == MACEC_E_DEVICE);
  CHECK(live_objects() == 0);
}

void submits_and_waits() {
  Duo duo;
  CHECK(duo.open() == MACEC_OK);
  CHECK(macec_wait(duo.context, 0) == MACEC_OK);  // nothing waits
  for (int i = 0; i < 4; ++i) {
    CHECK(duo.submit(i) == MACEC_PENDING);
    CHECK(duo.model->run(duo.context, nullptr, nullptr, nullptr) == MACEC_E_STATE);
    CHECK(duo.error.status == MACEC_E_STATE);
    CHECK(macec_submit(duo.context, nullptr, nullptr, nullptr) == MACEC_E_STATE);
    CHECK(duo.model->reset(duo.context) == MACEC_E_STATE);
    CHECK(duo.model->input(duo.context, 0) == nullptr);
    CHECK(duo.is_on_gpu());
    if (i == 1) {
      mock->never_done = 1;
      CHECK(macec_wait(duo.context, 0) == MACEC_PENDING &&
            macec_wait(duo.context, 3) == MACEC_PENDING);
      mock->never_done = 0;
    }
    CHECK(macec_wait(duo.context, i % 2 ? 5000 : UINT32_MAX) == MACEC_OK && duo.is_right());
  }
  for (const MockCall call : {kMockWaitForEvents, kMockGetEventInfo}) {
    Duo other;
    CHECK(other.open() == MACEC_OK && other.runs_right(1));
    CHECK(other.submit(2) == MACEC_PENDING);
    mock_reset_all();
    mock->fail_at = 1;
    CHECK(macec_wait(other.context, call == kMockWaitForEvents ? UINT32_MAX : 1000) == MACEC_OK);
    CHECK(other.is_right() && !other.is_on_gpu() && other.warnings() == 1);
    CHECK(live_objects() > 0);  // duo's
  }
  CHECK(duo.submit(5) == MACEC_PENDING);
  duo.close();
  CHECK(live_objects() == 0);
}

void is_cancelled_between_segments() {
  Duo duo;
  CHECK(duo.open() == MACEC_OK && duo.runs_right(1));
  duo.is_cancelled = true;
  CHECK(duo.run(2) == MACEC_E_CANCELLED && duo.is_on_gpu());
  duo.is_cancelled = false;
  CHECK(duo.runs_right(3));
}

void needs_the_gpu() {
  Duo duo;
  duo.opencl.need_gpu = 1;
  CHECK(duo.open() == MACEC_OK && duo.is_on_gpu() && duo.runs_right(1));
  for (int i = 0; i < 3; ++i) {
    mock_reset_all();
    if (i == 0) mock->fail_at = 3;
    CHECK(duo.run(2) == MACEC_E_DEVICE && !duo.is_on_gpu());
    CHECK_TEXT(duo.error_text(), "duo: clEnqueueNDRangeKernel failed: have -5, need 0 (error -49)");
    CHECK(i == 0 || mock->calls == 0);
  }
  CHECK_TEXT(duo.report().text, "clEnqueueNDRangeKernel failed: -5");
  CHECK(duo.warnings() == 1 && live_objects() == 0);
}

void loses_an_input_that_the_device_had() {
  Solo solo;
  CHECK(solo.open() == MACEC_OK);
  float* const memory = solo.input();
  mock_reset_all();
  mock->lost_from = 2;  // the first is the unmapping
  CHECK(solo.run(1, memory) == MACEC_E_DEVICE);
  CHECK_TEXT(solo.error_text(),
             "solo: the input was in the memory of the device, and is lost (error -49)");
  CHECK(solo.runs_right(2) && !solo.is_on_gpu() && solo.warnings() == 1);
  CHECK(live_objects() == 0);
  mock_reset_all();
}

// Runs with an x that is out of range.
macec_status run_out_of_range(Duo& duo, bool submits) {
  macec_in in[1];
  macec_out out[2];
  duo.prepare(1, in, out);
  duo.x.at[40] = 60;
  if (!submits) return duo.model->run(duo.context, nullptr, in, out);
  CHECK(macec_submit(duo.context, nullptr, in, out) == MACEC_PENDING);
  return macec_wait(duo.context, UINT32_MAX);
}

void a_kernel_finds_a_problem() {
  for (const bool submits : {false, true}) {
    Duo duo;
    CHECK(duo.open() == MACEC_OK && duo.runs_right(1));
    CHECK(run_out_of_range(duo, submits) == MACEC_E_RANGE);
    CHECK_TEXT(duo.error_text(), "duo: an x is above 50 (error -18)");
    CHECK(duo.is_on_gpu() && duo.runs_right(2) && duo.runs_right(3));
    if (!submits) {  // found by a kernel, and then nobody asks
      duo.is_cancelled = true;
      CHECK(run_out_of_range(duo, false) == MACEC_E_CANCELLED);
      duo.is_cancelled = false;
      CHECK(duo.is_on_gpu() && duo.runs_right(6));
    }
    mock_reset_all();
    CHECK(run_out_of_range(duo, submits) == MACEC_E_RANGE);
    const long calls = mock->calls;  // the last of them clears the problem
    mock_reset_all();
    mock->fail_at = calls;
    CHECK(run_out_of_range(duo, submits) == MACEC_E_RANGE);
    CHECK_TEXT(mock->failed, "clEnqueueWriteBuffer");
    CHECK(duo.runs_right(4) && !duo.is_on_gpu() && duo.warnings() == 1);
    CHECK(run_out_of_range(duo, false) == MACEC_E_RANGE && duo.runs_right(5));
  }
}

void uses_other_weights() {
  std::vector<uint64_t> blob(40);
  const uint64_t head[4] = {0x317700636563616d, duo_model()->weights_layout, 320, 0};
  memcpy(blob.data(), head, sizeof head);
  Duo duo;
  duo.scale = 0.5f;
  for (int i = 0; i < kCount; ++i) {
    const float w = weight_of(i, duo.scale);
    memcpy(reinterpret_cast<char*>(blob.data()) + 64 + 4 * i, &w, 4);
  }
  macec_weights weights;
  CHECK(duo.model->bind(&weights, blob.data(), 320, 0, nullptr) == MACEC_OK);
  CHECK(duo.open() == MACEC_OK);
  CHECK(duo.model->use(duo.context, &weights) == MACEC_OK && duo.is_on_gpu() && duo.runs_right(1));
  mock_reset_all();
  mock->fail_at = 1;
  CHECK(duo.model->use(duo.context, nullptr) == MACEC_OK && !duo.is_on_gpu());
  duo.scale = 0.25f;
  CHECK(duo.runs_right(2));
  mock_reset_all();
  Duo second;  // with other weights from the start: the recorded answer is of no use, and not asked
  second.scale = 0.5f;
  second.options.weights = &weights;
  CHECK(second.open() == MACEC_OK && second.is_on_gpu() && second.runs_right(1));
}

void shares_the_handles_of_another() {
  Duo duo;
  CHECK(duo.open() == MACEC_OK);
  const macec_report r = duo.report();
  for (int kind = 0; kind < 4; ++kind) {
    Solo solo;
    (kind == 0   ? solo.opencl.queue
     : kind == 1 ? solo.opencl.context
     : kind == 2 ? solo.opencl.device
                 : solo.opencl.platform) = kind == 0   ? r.queue
                                           : kind == 1 ? r.context
                                           : kind == 2 ? r.cl_device
                                                       : r.platform;
    mock_reset_all();
    CHECK(solo.open() == MACEC_OK && solo.is_on_gpu() && solo.runs_right(kind));
    CHECK((mock->count[kMockCreateContext] == 0) == (kind < 2));
    CHECK((mock->count[kMockCreateCommandQueue] == 0) == (kind < 1));
    CHECK(solo.report().cl_device == r.cl_device);
    if (kind == 0) CHECK(solo.report().queue == r.queue && solo.report().context == r.context);
  }
  CHECK(duo.runs_right(1));
}

void passes_hints_on() {
  const struct {
    const char* extensions;
    uint32_t performance, priority;
    long properties;
    unsigned long long queue;
  } cases[] = {{"cl_khr_a cl_qcom_perf_hint cl_qcom_priority_hint", 3, 1, 6, 0},
               {"cl_qcom_perf_hint", 1, 1, 4, 0},
               {"cl_qcom_perf_hints xcl_qcom_perf_hint", 3, 3, 2, 0},
               {"cl_khr_priority_hints", 3, 1, 2, 4},
               {"cl_khr_priority_hints", 0, 3, 2, 1},
               {"cl_khr_priority_hints", 0, 0, 2, 0}};
  for (const auto& one : cases) {
    mock_reset_all();
    mock->extensions = one.extensions;
    Solo solo;
    solo.opencl.performance = one.performance;
    solo.opencl.priority = one.priority;
    CHECK(solo.open() == MACEC_OK && solo.is_on_gpu() && solo.runs_right(1));
    CHECK(mock->context_properties == one.properties && mock->queue_priority == one.queue);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !load_mock(argv[1])) return 2;
  runs_on_the_gpu();
  a_model_without_a_gpu_has_no_layer_2();
  copies_nothing_twice();
  reads_an_input_in_place();
  finds_no_library();
  device_is_not_enough();
  checks_itself();
  submits_and_waits();
  is_cancelled_between_segments();
  needs_the_gpu();
  loses_an_input_that_the_device_had();
  a_kernel_finds_a_problem();
  uses_other_weights();
  shares_the_handles_of_another();
  passes_hints_on();
  CHECK(live_objects() == 0);
  return check_result();
}
