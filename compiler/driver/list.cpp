// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec list: tables of operators, targets, kernels and passes, read from the tables that the compiler itself uses.
#include <algorithm>
#include <cstdio>

#include "compiler/driver/commands.h"
#include "compiler/ops/old_opsets.h"
#include "compiler/ops/registry.h"
#include "compiler/support/text.h"
#include "passes/pass.h"
#include "targets/cpu/cpu.h"
#include "targets/opencl/gpu_row.h"

namespace macec {
namespace {

using Rows = std::vector<std::vector<std::string>>;  // the first is the head

std::string opsets_text(const OpDef& op) {
  std::vector<std::string> parts;
  std::vector<std::string> domains;
  for (const OpVersion& version : op.versions)
    if (std::find(domains.begin(), domains.end(), version.domain) == domains.end())
      domains.push_back(version.domain);
  for (const std::string& domain : domains) {
    int first = kLatestOpset, last = 0;
    for (const OpVersion& version : op.versions)
      if (domain == version.domain)
        first = std::min(first, version.first), last = std::max(last, version.last);
    if (domain.empty() && find_old_form(op.name, kOldestReadOpset)) first = kOldestReadOpset;
    const std::string range =
        last >= kLatestOpset ? fmt::format("{}+", first) : fmt::format("{}-{}", first, last);
    parts.push_back(domain.empty() ? range : fmt::format("{} {}", domain, range));
  }
  return join(parts, ", ");
}

Rows list_ops(const Options&) {
  Rows rows = {{"operator", "opsets", "what it does"}};
  for (const OpDef& op : all_ops()) rows.push_back({op.name, opsets_text(op), op.doc});
  return rows;
}

Rows list_targets(const Options&) {
  Rows rows = {{"target", "levels", "gpu", "what it is"}};
  for (const Target& target : all_targets()) {
    std::vector<std::string> levels;
    for (const Level& level : target.levels) levels.push_back(level.name);
    const char* gpu = !target.gpu                  ? "-"
                      : target.gpu->prefers_images ? "OpenCL, images"
                                                   : "OpenCL, buffers";
    rows.push_back({target.name, join(levels, ", "), gpu, target.doc});
  }
  return rows;
}

Rows list_kernels(const Options&) {
  Rows rows = {{"kernel", "device", "family", "file", "what it does"}};
  for (const KernelRow& kernel : cpu_kernels())
    rows.push_back(
        {kernel.name, "cpu", std::string(name(kernel.family)), kernel.header, kernel.doc});
  for (const GpuRow& kernel : gpu_kernels())
    rows.push_back({kernel.name, "gpu", std::string(name(kernel.family)), kernel.file, kernel.doc});
  return rows;
}

Rows list_passes(const Options&) {
  Rows rows = {{"pass", "what it does", "what holds afterwards"}};
  for (const Pass& pass : pipeline()) rows.push_back({pass.name, pass.doc, pass.invariant});
  return rows;
}

struct Listing {
  const char* name;
  Rows (*rows)(const Options&);
};
const Listing kListings[] = {{"ops", list_ops},
                             {"targets", list_targets},
                             {"kernels", list_kernels},
                             {"passes", list_passes}};

std::string json_text(const Rows& rows) {
  std::vector<std::string> objects;
  for (size_t r = 1; r < rows.size(); ++r) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < rows[r].size(); ++i)
      fields.push_back(fmt::format("{}: {}", json_quoted(rows[0][i]), json_quoted(rows[r][i])));
    objects.push_back("  {" + join(fields, ", ") + "}");
  }
  return "[\n" + join(objects, ",\n") + "\n]\n";
}

}  // namespace

int run_list(const Options& options) {
  std::vector<std::string> names;
  for (const Listing& listing : kListings) {
    names.push_back(listing.name);
    if (options.files[0] != listing.name) continue;
    const Rows rows = listing.rows(options);
    std::fputs((options.json ? json_text(rows) : table_text(rows)).c_str(), stdout);
    return kDone;
  }
  const std::string near = nearest(options.files[0], names);
  throw UsageError(fmt::format("there is no list '{}'{}", printable(options.files[0]),
                               near.empty() ? "" : fmt::format("; did you mean {}?", near)),
                   "the lists are " + join(names, ", "));
}

}  // namespace macec
