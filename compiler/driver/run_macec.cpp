// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <exception>

#include "compiler/driver/commands.h"
#include "compiler/driver/suggest.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

struct CommandEntry {
  const char* name;
  int (*run)(const Options&, Diagnostics&);
  const char* what_failed;  // last words of an error report
};

const CommandEntry kCommands[] = {
    {"compile", run_compile, "nothing was written"},
    {"inspect", run_inspect, "it does not compile"},
    {"verify", [](const Options& o, Diagnostics&) { return run_verify(o); },
     "nothing was verified"},
    {"run", run_run, "nothing was run"},
    {"bench", run_bench, "nothing was run"},
    {"list", [](const Options& o, Diagnostics&) { return run_list(o); }, "nothing to list"},
};

int dispatch(const Options& options, Diagnostics& diag) {
  const auto finish = [&](const CommandEntry& command) {
    const std::string first = options.files.empty() ? "" : base_name(options.files[0]);
    const std::string file = diag.file().empty() ? first : diag.file();
    std::fputs(diag.report(file, command.what_failed, suggestion(options, diag)).c_str(), stderr);
    return static_cast<int>(kUserFault);
  };
  for (const CommandEntry& command : kCommands) {
    if (options.command != command.name) continue;
    try {
      return command.run(options, diag);
    } catch (const Stop&) {
      return finish(command);
    } catch (const UserError& error) {
      diag.add(error);
      return finish(command);
    }
  }
  throw InternalError("no command '" + options.command + "'");
}

}  // namespace

int run_macec(const std::vector<std::string>& arguments) {
  try {
    const Options options = parse_options(arguments);
    if (options.wants_help || options.wants_version) {
      std::fputs((options.wants_help ? help_text(options.command) : version_text()).c_str(),
                 stdout);
      return kDone;
    }
    Diagnostics diag;
    return dispatch(options, diag);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    if (!error.hint.empty()) std::fprintf(stderr, "    hint: %s\n", error.hint.c_str());
    return kUsage;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return kUserFault;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "macec: a bug in macec: %s\n    hint: please report it with the model and this "
                 "command: %s\n",
                 error.what(), join(arguments, " ").c_str());
    return kInternal;
  }
}

}  // namespace macec
