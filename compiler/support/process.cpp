// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

extern char** environ;

namespace macec {
namespace {

constexpr size_t kMostOutput = 64 << 10;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Starts the program with stdout and stderr on `output`. Returns an errno.
int start(const std::vector<std::string>& argv, const std::string& folder, int output,
          int other_end, pid_t* pid) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawn_file_actions_addclose(&actions, output);
  posix_spawn_file_actions_addclose(&actions, other_end);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(pid, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string ProcessResult::failure() const {
  if (timed_out) return fmt::format("no end within {:.0f} s", seconds);
  if (signal) return fmt::format("ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", code);
}

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& folder,
                          double timeout_seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw user_error("cannot start '{}': {}", argv[0], std::strerror(errno));
  pid_t pid = 0;
  const double begin = now();
  const int error = start(argv, folder, ends[1], ends[0], &pid);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    throw user_error("cannot start '{}': {}", argv[0], std::strerror(error));
  }
  ProcessResult result;
  char buffer[4096];
  int status = 0;
  bool is_open = true, is_reaped = false;
  // Until the output closes and the process is gone; a grandchild may hold the output open, so both are asked for.
  while (!is_reaped) {
    pollfd waiting = {ends[0], POLLIN, 0};
    if (is_open) {
      if (poll(&waiting, 1, 20) > 0) {
        const ssize_t n = read(ends[0], buffer, sizeof buffer);
        if (n > 0 && result.output.size() < kMostOutput)
          result.output.append(buffer, static_cast<size_t>(n));
        is_open = n > 0;
      }
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!is_open || waiting.revents == 0) is_reaped = waitpid(pid, &status, WNOHANG) == pid;
    if (!is_reaped && now() - begin > timeout_seconds) {
      result.timed_out = true;
      kill(-pid, SIGKILL);
      is_reaped = waitpid(pid, &status, 0) == pid;
    }
  }
  close(ends[0]);
  result.seconds = now() - begin;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

bool has_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':'))
    if (!folder.empty() && access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace macec
