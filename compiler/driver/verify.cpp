// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec verify: generated code against recorded outputs, or against macec's own evaluator. verify_batch.cpp does the work;
// here it is spread over threads and printed.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data_sets.h"
#include "compiler/driver/shared_flags.h"
#include "compiler/driver/verify_batch.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr size_t kModelsPerProgram = 50;

Subject subject_of(const std::string& path, const Options& options) {
  Subject subject;
  subject.path = path;
  subject.model = is_folder(path) ? path + "/model.onnx" : path;
  const std::string folder = folder_of(subject.model);
  subject.data = !options.data.empty() ? options.data : has_data_sets(folder) ? folder : "";
  subject.options = options;
  return subject;
}

// Several models share the command line. One that cannot be loaded is reported when its turn comes.
void share_flags(std::vector<Subject>& subjects, const Options& options) {
  if (subjects.size() < 2 || !has_flags_of_models(options)) return;
  std::vector<FlagNames> names;  // not the models: there may be many, and large ones
  std::vector<Subject*> loaded;
  for (Subject& subject : subjects) {
    try {
      names.push_back(flag_names(load_model(subject.model), options.import));
      loaded.push_back(&subject);
    } catch (const UserError&) {
    }
  }
  const std::vector<Options> own = options_of_models(names, options);
  for (size_t i = 0; i < loaded.size(); ++i) loaded[i]->options = own[i];
}

// Batches on options.jobs threads.
void verify_all(std::vector<Subject>& subjects, const Options& options, const Target& target) {
  const size_t jobs = static_cast<size_t>(options.jobs);
  const size_t size = std::clamp<size_t>((subjects.size() + jobs - 1) / jobs, 1, kModelsPerProgram);
  std::vector<std::vector<Subject*>> batches;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i % size == 0) batches.emplace_back();
    batches.back().push_back(&subjects[i]);
  }
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i; (i = next++) < batches.size();) {
      try {
        verify_batch(batches[i], options, target);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(jobs, batches.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

std::string summary_of(const Subject& subject, const Options& options) {
  if (subject.status != Status::passed) return subject.text;
  std::string text = fmt::format(
      "{}, {} compared, greatest difference {:.2g} of the greatest magnitude",
      plural(subject.sets, "data set"), plural(subject.outputs, "output"), subject.worst);
  if (!subject.place.empty()) text += "\non the " + subject.place;
  if (!subject.constants.empty())
    text += fmt::format(
        "\nwith inputs that must be known at compile time as constants, as --set makes them: {}",
        subject.constants);
  if (subject.by_evaluator)
    text += fmt::format(
        "\nthe reference is macec's own evaluator ({}), which cannot show a misread model",
        subject.no_reference.empty() ? fmt::format("inputs made with --seed {}", options.seed)
                                     : subject.no_reference);
  return text;
}

void print_text(const std::vector<Subject>& subjects, const Options& options) {
  int counts[4] = {0};
  for (const Subject& subject : subjects) {
    ++counts[static_cast<int>(subject.status)];
    std::string text = summary_of(subject, options);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::printf("%-8s %s\n", name(subject.status), printable(subject.path).c_str());
    for (const std::string& line : split(text, '\n')) std::printf("    %s\n", line.c_str());
  }
  if (subjects.size() == 1) return;
  std::vector<std::string> parts;
  for (int i = 0; i < 4; ++i)
    if (counts[i]) parts.push_back(fmt::format("{} {}", counts[i], name(static_cast<Status>(i))));
  std::printf("macec: %s: %s\n", plural(static_cast<int64_t>(subjects.size()), "model").c_str(),
              join(parts, ", ").c_str());
}

void print_json(const std::vector<Subject>& subjects, const Options& options,
                const Target& target) {
  std::vector<std::string> entries;
  for (const Subject& subject : subjects)
    entries.push_back(
        fmt::format("    {{\"path\": {}, \"status\": \"{}\", \"text\": {}, \"sets\": {}, "
                    "\"outputs\": {}, \"difference\": {}, "
                    "\"reference\": \"{}\", \"place\": {}}}",
                    json_quoted(subject.path), name(subject.status),
                    json_quoted(summary_of(subject, options)), subject.sets, subject.outputs,
                    std::isfinite(subject.worst) ? fmt::format("{:.3g}", subject.worst) : "null",
                    subject.by_evaluator ? "evaluator" : "recorded", json_quoted(subject.place)));
  std::printf("{\n  \"target\": %s,\n  \"models\": [\n%s\n  ]\n}\n",
              json_quoted(target.name).c_str(), join(entries, ",\n").c_str());
}

}  // namespace

int run_verify(const Options& options) {
  if (!options.data.empty() && options.files.size() > 1)
    throw UsageError("--data is for one model, and several are given");
  if (!options.data.empty() && !file_exists(options.data))
    throw user_error("there is no folder or file '{}'", printable(options.data));
  const Target target = target_of(options);
  std::vector<Subject> subjects;
  for (const std::string& path : options.files) subjects.push_back(subject_of(path, options));
  share_flags(subjects, options);
  verify_all(subjects, options, target);
  if (options.json)
    print_json(subjects, options, target);
  else
    print_text(subjects, options);
  const auto is_passed = [](const Subject& s) { return s.status == Status::passed; };
  if (std::all_of(subjects.begin(), subjects.end(), is_passed)) return kDone;
  return subjects.size() == 1 && subjects[0].is_bug ? kInternal : kUserFault;
}

}  // namespace macec
