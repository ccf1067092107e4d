// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the GPU half needs of the operating system: libraries, pages of memory while a model is being
// opened (nothing is kept), small files, a clock.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind the steps; the
// prelude includes <windows.h>, or <dlfcn.h>, <fcntl.h>, <sys/mman.h>, <sys/stat.h>, <time.h> and
// <unistd.h>, and <stdio.h> for rename().
#include <stddef.h>
#include <stdint.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#endif
#pragma once

// Memory that lives until free_pages; data is nullptr if there was none.
struct Pages {
  unsigned char* data;
  size_t bytes;
};

#if defined(_WIN32)
[[maybe_unused]] void* system_open_library(const char* path) {
  return LoadLibraryA(path);
}
[[maybe_unused]] void* system_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}
[[maybe_unused]] Pages take_pages(size_t bytes) {
  void* const data =
      VirtualAlloc(nullptr, bytes ? bytes : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  return {static_cast<unsigned char*>(data), bytes};
}
[[maybe_unused]] void free_pages(Pages* pages) {
  if (pages->data) VirtualFree(pages->data, 0, MEM_RELEASE);
  *pages = {nullptr, 0};
}
[[maybe_unused]] uint64_t system_milliseconds() {
  return GetTickCount64();
}
[[maybe_unused]] void system_sleep(uint32_t microseconds) {
  Sleep(microseconds < 1000 ? 1 : microseconds / 1000);
}
[[maybe_unused]] uint64_t system_process() {
  return GetCurrentProcessId();
}
// A whole file, or no data if it cannot be read or is larger than most.
[[maybe_unused]] Pages read_file(const char* path, size_t most) {
  Pages pages = {nullptr, 0};
  const HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return pages;
  LARGE_INTEGER size = {};
  if (GetFileSizeEx(file, &size) && size.QuadPart > 0 &&
      static_cast<uint64_t>(size.QuadPart) <= most) {
    pages = take_pages(static_cast<size_t>(size.QuadPart));
    DWORD got = 0;
    if (pages.data &&
        (!ReadFile(file, pages.data, static_cast<DWORD>(pages.bytes), &got, nullptr) ||
         got != pages.bytes)) {
      free_pages(&pages);
    }
  }
  CloseHandle(file);
  return pages;
}
// False: the file may be there in part.
[[maybe_unused]] bool write_file(const char* path, const void* data, size_t bytes) {
  const HANDLE file =
      CreateFileA(path, GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD put = 0;
  const bool is_written =
      WriteFile(file, data, static_cast<DWORD>(bytes), &put, nullptr) && put == bytes;
  return (CloseHandle(file) != 0) && is_written;
}
[[maybe_unused]] bool replace_file(const char* from, const char* to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}
[[maybe_unused]] void remove_file(const char* path) {
  DeleteFileA(path);
}
#else
[[maybe_unused]] void* system_open_library(const char* path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
[[maybe_unused]] void* system_symbol(void* library, const char* name) {
  return dlsym(library, name);
}
[[maybe_unused]] Pages take_pages(size_t bytes) {
  void* const data =
      mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return {nullptr, 0};
  return {static_cast<unsigned char*>(data), bytes};
}
[[maybe_unused]] void free_pages(Pages* pages) {
  if (pages->data) munmap(pages->data, pages->bytes ? pages->bytes : 1);
  *pages = {nullptr, 0};
}
[[maybe_unused]] uint64_t system_milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}
[[maybe_unused]] void system_sleep(uint32_t microseconds) {
  timespec time = {};
  time.tv_nsec = static_cast<long>(microseconds) * 1000;
  nanosleep(&time, nullptr);
}
[[maybe_unused]] uint64_t system_process() {
  return static_cast<uint64_t>(getpid());
}
// A whole file, or no data if it cannot be read or is larger than most.
[[maybe_unused]] Pages read_file(const char* path, size_t most) {
  Pages pages = {nullptr, 0};
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return pages;
  struct stat info = {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      static_cast<uint64_t>(info.st_size) <= most) {
    pages = take_pages(static_cast<size_t>(info.st_size));
    size_t got = 0;
    while (pages.data && got < pages.bytes) {
      const ssize_t part = read(file, pages.data + got, pages.bytes - got);
      if (part <= 0) free_pages(&pages);
      if (part > 0) got += static_cast<size_t>(part);
    }
  }
  close(file);
  return pages;
}
// False: the file may be there in part.
[[maybe_unused]] bool write_file(const char* path, const void* data, size_t bytes) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const unsigned char* const first = static_cast<const unsigned char*>(data);
  size_t put = 0;
  while (put < bytes) {
    const ssize_t part = write(file, first + put, bytes - put);
    if (part <= 0) break;
    put += static_cast<size_t>(part);
  }
  return (close(file) == 0) && put == bytes;
}
[[maybe_unused]] bool replace_file(const char* from, const char* to) {
  return rename(from, to) == 0;
}
[[maybe_unused]] void remove_file(const char* path) {
  unlink(path);
}
#endif
