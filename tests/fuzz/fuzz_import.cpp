// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles many damaged models in one process, which is built with the address and
// undefined-behaviour sanitizers.
//
//   fuzz_import --work DIR [--first N] [--count N] [--keep DIR] SEED.onnx...
//
// Case i takes a seed, changes it with random numbers that depend on i alone, writes
// DIR/in/case.onnx (next to whatever external data lies there) and compiles it into DIR/out. The
// rules: macec either compiles or throws one of its own errors; within ten seconds; and a refused
// model leaves no file. A broken rule prints `BAD i: why` and, with --keep, the model's copy. The
// first line of each case, `case i`, goes to DIR/now.txt, so that run.sh can tell which one ended
// the process.
#include "compile_file.h"
#include "mutate.h"

#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;

constexpr int kMaxSeconds = 10;  // of the processor: the machine may be busy

struct Settings {
  fs::path work, keep;
  uint64_t first = 0, count = 1000;
  std::vector<fuzz::Bytes> seeds;
};

fuzz::Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return fuzz::Bytes(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

void write_file(const fs::path& path, const fuzz::Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--work" && i + 1 < argc) {
      settings.work = argv[++i];
    } else if (word == "--keep" && i + 1 < argc) {
      settings.keep = argv[++i];
    } else if (word == "--first" && i + 1 < argc) {
      settings.first = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--count" && i + 1 < argc) {
      settings.count = std::strtoull(argv[++i], nullptr, 10);
    } else {
      settings.seeds.push_back(read_file(word));
    }
  }
  if (settings.work.empty() || settings.seeds.empty()) {
    std::fprintf(
        stderr,
        "usage: fuzz_import --work DIR [--first N] [--count N] [--keep DIR] SEED.onnx...\n");
    std::exit(2);
  }
  return settings;
}

// Ends the process: only an abort leaves a compiler that hangs.
void on_alarm(int) {
  static const char kText[] = "no end within 10 seconds of the processor\n";
  (void)!write(2, kText, sizeof kText - 1);
  std::abort();
}

// on_alarm() after so many seconds of the processor; 0: never.
void set_alarm(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

fuzz::Bytes make_case(const Settings& settings, uint64_t number) {
  fuzz::Random random(number);
  const size_t seed = random.below(settings.seeds.size()),
               other = random.below(settings.seeds.size());
  return fuzz::mutate(settings.seeds[seed], settings.seeds[other], random);
}

// The files this process has open. /proc/self/statm does not count: the sanitizer's watch over
// hard_rss_limit_mb reads it ten times a second from a thread of its own.
size_t open_files() {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    const fs::path file = fs::read_symlink(entry.path(), closed_meanwhile);
    if (!closed_meanwhile && file.filename() != "statm") ++count;
  }
  return count;
}

// Returns what is wrong with the way macec treated a model; empty if nothing is.
std::string judge(const fuzz::Answer& answer, const fs::path& out, size_t files_before) {
  if (answer.outcome == fuzz::Outcome::kOurError) return "our own error: " + answer.text;
  if (answer.outcome == fuzz::Outcome::kForeignException)
    return "an exception that is not macec's: " + answer.text;
  if (answer.outcome == fuzz::Outcome::kRefused && !fs::is_empty(out)) {
    return "refused, but left " + fs::directory_iterator(out)->path().filename().string();
  }
  if (answer.outcome == fuzz::Outcome::kRefused && answer.text.empty())
    return "refused without a word";
  if (open_files() != files_before) return "left a file open";
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  const fs::path in = settings.work / "in", out = settings.work / "out", file = in / "case.onnx";
  fs::create_directories(in);
  fs::create_directories(out);
  std::signal(SIGPROF, on_alarm);

  unsigned long compiled = 0, refused = 0, bad = 0;
  double slowest = 0;
  uint64_t slowest_case = 0;
  for (uint64_t i = settings.first; i < settings.first + settings.count; ++i) {
    for (const auto& entry : fs::directory_iterator(out)) fs::remove_all(entry.path());
    write_file(file, make_case(settings, i));
    std::ofstream(settings.work / "now.txt") << i << "\n";
    const size_t files_before = open_files();
    const auto start = std::chrono::steady_clock::now();
    set_alarm(kMaxSeconds);
    const fuzz::Answer answer = fuzz::compile_file(file.string(), out.string());
    set_alarm(0);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > slowest) {
      slowest = seconds;
      slowest_case = i;
    }
    const std::string why = judge(answer, out, files_before);
    ++(answer.outcome == fuzz::Outcome::kCompiled ? compiled : refused);
    if (!why.empty()) {
      ++bad;
      std::printf("BAD %llu: %s\n", static_cast<unsigned long long>(i), why.c_str());
      if (!settings.keep.empty())
        fs::copy_file(file, settings.keep / (std::to_string(i) + ".onnx"),
                      fs::copy_options::overwrite_existing);
    }
    std::fflush(stdout);
  }
  std::ofstream(settings.work / "now.txt") << "done\n";
  std::printf("compiled %lu, refused %lu, bad %lu; slowest case %llu: %.2f s\n", compiled, refused,
              bad, static_cast<unsigned long long>(slowest_case), slowest);
  return bad == 0 ? 0 : 1;
}
