// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of CPU kernels, from general to special.
#include "targets/cpu/cpu.h"
#include "targets/cpu/rows.h"

namespace macec {

const std::vector<KernelRow>& cpu_kernels() {
  static const std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> all;
    append_plain_rows(all);
    append_window_rows(all);
    append_integer_rows(all);
    append_vector_rows(all);
    append_move_rows(all);
    append_resize_rows(all);
    append_recurrent_rows(all);
    append_line_rows(all);
    append_pick_rows(all);
    append_sample_rows(all);
    return all;
  }();
  return rows;
}

}  // namespace macec
