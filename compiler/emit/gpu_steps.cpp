// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run function of a plan with a GPU half: segment by segment, values handed over between them.
#include "compiler/emit/gpu_tables.h"
#include "compiler/emit/names.h"
#include "compiler/emit/steps.h"
#include "compiler/support/error.h"

namespace macec {

void StepsWriter::write_gpu_segment(const Segment& segment) {
  if (segment.device == Device::cpu) {
    for (const Step& step : plan_.steps)
      if (step.number >= segment.first && step.number <= segment.last) write_step(step, "  ");
    return;
  }
  if (!step_hooks_) {
    text_.run +=
        fmt::format("  if (!gpu_launch(c, {}, {})) return c.status;\n",
                    first_launch(plan_, segment.first), first_launch(plan_, segment.last + 1));
    return;
  }
  for (const Step& step : plan_.steps) {
    if (step.number < segment.first || step.number > segment.last) continue;
    const std::string name = c_string(step.name);
    text_.run += fmt::format("  step_begins(c, {}, {});\n", step.number, name);
    text_.run +=
        fmt::format("  if (!gpu_launch(c, {}, {}) || !gpu_finish_step(c)) return c.status;\n",
                    first_launch(plan_, step.number), first_launch(plan_, step.number + 1));
    text_.run += fmt::format("  step_ends(c, {}, {});\n", step.number, name);
  }
}

void StepsWriter::write_borders(int segment) {
  for (const Transfer& transfer : plan_.gpu->transfers) {
    if (transfer.segment != segment) continue;
    const Buffer& buffer = plan_.buffers[static_cast<size_t>(transfer.buffer)];
    const std::string name = comment_text(buffer.name);
    if (transfer.kind == Transfer::map) {
      const char* use = !transfer.is_written ? ", kGpuReads"
                        : !transfer.is_read  ? ", kGpuWrites"
                                             : "";
      text_.run += fmt::format("  if (!gpu_map(c, {}{})) return c.status;  // {}\n", buffer.object,
                               use, name);
    } else if (transfer.kind == Transfer::unmap) {
      text_.run +=
          fmt::format("  if (!gpu_unmap(c, {})) return c.status;  // {}\n", buffer.object, name);
    }
  }
}

void StepsWriter::write_gpu_run() {
  const GpuPlan& gpu = *plan_.gpu;
  text_.run += "  if (!gpu_begin(c)) return c.status;\n";
  for (size_t s = 0; s < gpu.segments.size(); ++s) {
    const Segment& segment = gpu.segments[s];
    text_.run += fmt::format("  // segment {}: steps {} to {} on the {}\n", s, segment.first,
                             segment.last, segment.device == Device::gpu ? "GPU" : "CPU");
    write_borders(static_cast<int>(s));
    write_gpu_segment(segment);
    text_.run += "  if (stops(c)) return c.status;\n";
  }
  write_borders(static_cast<int>(gpu.segments.size()));
  text_.run += "  return gpu_end(c);\n";
}

}  // namespace macec
