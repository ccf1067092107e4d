// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled programs in a folder that the app names: one file per model and device.
//
//   cache_dir/NAME-HASH.clbin    HASH: of the sources, the build options and the device's name
//
//   byte  0  magic "macec\0c1"   8  key: 16 bytes, of all that the program depends on
//        24  bytes behind the head   32  1: the self-check has passed   40  two hashes of everything
//        64  the program as the driver gave it
//
// A file that is cut, damaged, of another model, device, driver or key is as good as none: it is
// written anew. Drivers are not asked what they think of damaged programs: some crash, and some
// accept them. A folder that is missing or cannot be written to means no cache, and no error.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_context.h.
#pragma once
#include "runtime_stub/gpu_context.h"

constexpr size_t kGpuMostFile = size_t{256} << 20;  // bytes that a program may have

// Two hashes that have nothing in common but their input. Not against malice.
struct GpuHash {
  uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu;
  // Each step is a one-to-one function of the state, so no change of one word is lost.
  void word(uint64_t w) {
    a = (a ^ w) * 0xff51afd7ed558ccdu;
    a ^= a >> 32;
    b = ((b << 29 | b >> 35) + w) * 0xd6e8feb86659fd93u;
    b ^= b >> 29;
  }
  void add(const void* data, size_t bytes) {
    const unsigned char* const first = static_cast<const unsigned char*>(data);
    word(bytes);
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t w = 0;
      memcpy(&w, first + i, bytes - i < 8 ? bytes - i : 8);
      word(w);
    }
  }
  void add(const char* text) { add(text, strlen(text)); }
};

struct GpuFileHead {
  unsigned char magic[8];
  uint64_t key[2], bytes, is_checked, hash[2], zero;
};
constexpr unsigned char kGpuMagic[8] = {'m', 'a', 'c', 'e', 'c', 0, 'c', '1'};
static_assert(sizeof(GpuFileHead) == 64, "the head of a program file has a fixed size");

struct GpuCache {
  char path[1024];  // empty: no cache
  uint64_t key[2];
  Pages file;  // head and program, read or to be written; data nullptr: none
  bool is_from_file;
  bool is_checked;  // as the file says
};

[[maybe_unused]] bool gpu_add_device_text(Context& c, GpuHash& hash, uint32_t what) {
  Pages text = gpu_device_text(c, what);
  if (!text.data) return false;
  hash.add(text.data, text.bytes);
  free_pages(&text);
  return true;
}
[[maybe_unused]] bool gpu_add_platform_text(Context& c, GpuHash& hash, uint32_t what) {
  char text[512] = {};
  size_t bytes = 0;
  const int32_t code =
      c.gpu->cl.GetPlatformInfo(c.gpu->platform, what, sizeof text - 1, text, &bytes);
  if (!gpu_ok(c, code, "clGetPlatformInfo failed")) return false;
  hash.add(text);
  return true;
}

// Path and key. False: a failure is noted; no cache is not a failure.
[[maybe_unused]] bool gpu_find_cache(Context& c, const char* folder, GpuCache* cache) {
  if (!folder || !*folder) return true;
  const GpuModel& model = *c.model->gpu;
  GpuHash hash;
  for (uint32_t i = 0; i < model.n_source; ++i) hash.add(model.source[i]);
  hash.add(model.build_options);
  if (!gpu_add_device_text(c, hash, kClDeviceName)) return false;
  const uint64_t name = hash.a ^ hash.b;
  if (!gpu_add_device_text(c, hash, kClDriverVersion) ||
      !gpu_add_device_text(c, hash, kClDeviceVersion) ||
      !gpu_add_platform_text(c, hash, kClPlatformName) ||
      !gpu_add_platform_text(c, hash, kClPlatformVersion)) {
    return false;
  }
  cache->key[0] = hash.a;
  cache->key[1] = hash.b;
  char digits[17] = {};
  for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[name >> (60 - 4 * i) & 15];
  GpuText path = {cache->path, sizeof cache->path, 0};
  path.add(folder).add("/").add(c.model->head.name).add("-").add(digits).add(".clbin");
  if (path.used + 64 > sizeof cache->path) cache->path[0] = '\0';  // room for a temporary name
  return true;
}

// Both hashes of a whole file, its own places for them taken as zero.
[[maybe_unused]] GpuHash gpu_file_hash(const Pages& file) {
  GpuFileHead head = {};
  memcpy(&head, file.data, sizeof head);
  head.hash[0] = head.hash[1] = 0;
  GpuHash hash;
  hash.add(&head, sizeof head);
  hash.add(file.data + sizeof head, file.bytes - sizeof head);
  return hash;
}

// Reads the file; what is not exactly what was once written here is dropped.
[[maybe_unused]] void gpu_read_cache(GpuCache* cache) {
  if (!cache->path[0]) return;
  cache->file = read_file(cache->path, kGpuMostFile);
  if (!cache->file.data) return;
  GpuFileHead head = {};
  bool is_good = cache->file.bytes > sizeof head;
  if (is_good) {
    memcpy(&head, cache->file.data, sizeof head);
    const GpuHash hash = gpu_file_hash(cache->file);
    is_good = memcmp(head.magic, kGpuMagic, sizeof head.magic) == 0 &&
              head.bytes == cache->file.bytes - sizeof head && head.key[0] == cache->key[0] &&
              head.key[1] == cache->key[1] && head.is_checked <= 1 && head.zero == 0 &&
              head.hash[0] == hash.a && head.hash[1] == hash.b;
  }
  cache->is_checked = is_good && head.is_checked == 1;
  if (!is_good) free_pages(&cache->file);
}

// Writes cache->file, its head made here, under another name first: a reader sees all or nothing.
[[maybe_unused]] void gpu_write_cache(const Context& c, GpuCache* cache, bool is_checked) {
  if (!cache->path[0] || !cache->file.data) return;
  GpuFileHead head = {};
  memcpy(head.magic, kGpuMagic, sizeof head.magic);
  head.key[0] = cache->key[0];
  head.key[1] = cache->key[1];
  head.bytes = cache->file.bytes - sizeof head;
  head.is_checked = is_checked ? 1 : 0;
  memcpy(cache->file.data, &head, sizeof head);
  const GpuHash hash = gpu_file_hash(cache->file);
  head.hash[0] = hash.a;
  head.hash[1] = hash.b;
  memcpy(cache->file.data, &head, sizeof head);

  // No two that write at once share a name: the process, and the context's place in it.
  char other[sizeof cache->path];
  GpuText path = {other, sizeof other, 0};
  path.add(cache->path).add(".").add(static_cast<int64_t>(system_process() & 0xffffffff)).add(".");
  path.add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(&c) >> 4 & 0xffffffff));
  remove_file(other);
  if (!write_file(other, cache->file.data, cache->file.bytes) ||
      !replace_file(other, cache->path)) {
    remove_file(other);
  }
}
