// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache of compiled programs: a second start compiles nothing, and no damage to a file is
// noticed but by the time it takes: damage MOCK FOLDER
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "models.h"

namespace {

namespace fs = std::filesystem;

std::string folder;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::vector<fs::path> files() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  return all;
}

// Programs compiled from their texts while a model is opened and run.
template <class Model>
long builds(const char* cache, bool expects_check) {
  mock_reset_all();
  Model model;
  model.opencl.cache_dir = cache;
  CHECK(model.open() == MACEC_OK && model.is_on_gpu() && model.warnings() == 0);
  CHECK((mock->count[kMockEnqueueNDRangeKernel] > 0) == expects_check);  // the self-check
  CHECK(model.runs_right(1));
  return mock->count[kMockCreateProgramWithSource];
}

void second_start_compiles_nothing() {
  CHECK(builds<Duo>(folder.c_str(), true) == 1);
  CHECK(builds<Solo>(folder.c_str(), true) == 1);
  CHECK(files().size() == 2);
  for (int i = 0; i < 2; ++i) CHECK(builds<Duo>(folder.c_str(), false) == 0);
  CHECK(builds<Solo>(folder.c_str(), false) == 0);
  CHECK(files().size() == 2);
}

void no_folder_is_no_error() {
  CHECK(builds<Duo>((folder + "/missing").c_str(), true) == 1);
  CHECK(builds<Duo>("", true) == 1);
  CHECK(builds<Duo>("/proc", true) == 1);  // not even root writes there
  CHECK(builds<Duo>(std::string(5000, 'x').c_str(), true) == 1);
  CHECK(!fs::exists(folder + "/missing") && files().size() == 2);
}

void a_failed_check_is_not_kept() {
  fs::remove_all(folder);
  fs::create_directory(folder);
  mock_reset_all();
  mock->corrupt_read = 1;
  Duo duo;
  duo.opencl.cache_dir = folder.c_str();
  CHECK(duo.open() == MACEC_OK && !duo.is_on_gpu() && files().empty());
  CHECK(builds<Duo>(folder.c_str(), true) == 1);
}

// The recorded answer is not that of other weights: the program stays unchecked until a context
// has the model's own.
void other_weights_leave_it_unchecked() {
  fs::remove_all(folder);
  fs::create_directory(folder);
  std::vector<uint64_t> blob(40);
  const uint64_t head[4] = {0x317700636563616d, duo_model()->weights_layout, 320, 0};
  memcpy(blob.data(), head, sizeof head);
  macec_weights weights;
  CHECK(duo_model()->bind(&weights, blob.data(), 320, 0, nullptr) == MACEC_OK);
  for (int i = 0; i < 2; ++i) {
    mock_reset_all();
    Duo duo;
    duo.options.weights = &weights;
    duo.opencl.cache_dir = folder.c_str();
    CHECK(duo.open() == MACEC_OK && duo.is_on_gpu());
    CHECK(mock->count[kMockEnqueueNDRangeKernel] == 0);
    CHECK(mock->count[kMockCreateProgramWithSource] == (i == 0) && files().size() == 1);
  }
  CHECK(builds<Duo>(folder.c_str(), true) == 0);
  CHECK(builds<Duo>(folder.c_str(), false) == 0);
}

struct Damage {
  const char* name;
  std::function<void(const fs::path& path, std::string bytes)> make;
};

void changed(const fs::path& path, std::string bytes, size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write(path, bytes);
}

std::vector<Damage> file_damages() {
  return {
      {"empty", [](const fs::path& p, std::string) { write(p, ""); }},
      {"one byte", [](const fs::path& p, std::string b) { write(p, b.substr(0, 1)); }},
      {"only a head", [](const fs::path& p, std::string b) { write(p, b.substr(0, 64)); }},
      {"the head and a byte", [](const fs::path& p, std::string b) { write(p, b.substr(0, 65)); }},
      {"half", [](const fs::path& p, std::string b) { write(p, b.substr(0, b.size() / 2)); }},
      {"without its last byte",
       [](const fs::path& p, std::string b) { write(p, b.substr(0, b.size() - 1)); }},
      {"a byte too long", [](const fs::path& p, std::string b) { write(p, b + '\0'); }},
      {"twice", [](const fs::path& p, std::string b) { write(p, b + b); }},
      {"without its head", [](const fs::path& p, std::string b) { write(p, b.substr(64)); }},
      {"shifted by a byte",
       [](const fs::path& p, std::string b) { write(p, "m" + b.substr(0, b.size() - 1)); }},
      {"noise",
       [](const fs::path& p, std::string b) {
         uint32_t x = 1;
         for (char& c : b) c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
         write(p, b);
       }},
      {"noise behind the head",
       [](const fs::path& p, std::string b) {
         for (size_t i = 64; i < b.size(); ++i) b[i] = static_cast<char>(i * 2654435761u >> 13);
         write(p, b);
       }},
      {"zeros behind the head",
       [](const fs::path& p, std::string b) {
         write(p, b.substr(0, 64) + std::string(b.size() - 64, '\0'));
       }},
      {"zeros at the end",
       [](const fs::path& p, std::string b) {
         write(p, b.substr(0, b.size() - 512) + std::string(512, '\0'));
       }},
      {"two words changed places",
       [](const fs::path& p, std::string b) {
         for (size_t i = 64; i + 16 < b.size(); i += 8) {
           if (b.compare(i, 8, b, i + 8, 8) == 0) continue;
           std::swap_ranges(b.begin() + static_cast<long>(i), b.begin() + static_cast<long>(i) + 8,
                            b.begin() + static_cast<long>(i) + 8);
           break;
         }
         write(p, b);
       }},
      {"a block lost",
       [](const fs::path& p, std::string b) { write(p, b.erase(b.size() / 2, 512)); }},
      {"a block twice",
       [](const fs::path& p, std::string b) { write(p, b.insert(1024, b.substr(512, 512))); }},
      {"line ends",
       [](const fs::path& p, std::string b) {
         for (size_t i = 0; (i = b.find('\n', i)) != b.npos; i += 2) b.insert(i, "\r");
         write(p, b);
       }},
      {"text", [](const fs::path& p, std::string) { write(p, "<html>not found</html>\n"); }},
  };
}

std::vector<Damage> other_damages(const fs::path& of_another) {
  return {
      {"the file of another model",
       [of_another](const fs::path& p, std::string) { write(p, read(of_another)); }},
      {"made by another driver",
       [](const fs::path& p, std::string) {
         fs::remove(p);
         mock_reset_all();
         mock->driver_version = "0.1";
         Duo duo;
         duo.opencl.cache_dir = folder.c_str();
         CHECK(duo.open() == MACEC_OK && duo.is_on_gpu() && fs::exists(p));
       }},
      {"a link to nowhere",
       [](const fs::path& p, std::string) {
         fs::remove(p);
         fs::create_symlink("nowhere", p);
       }},
      {"a pipe",
       [](const fs::path& p, std::string) {
         fs::remove(p);
         CHECK(mkfifo(p.c_str(), 0600) == 0);
       }},
      {"a folder",
       [](const fs::path& p, std::string) {
         fs::remove(p);
         fs::create_directory(p);
       }},
  };
}

void damage_is_survived() {
  fs::remove_all(folder);
  fs::create_directory(folder);
  builds<Solo>(folder.c_str(), true);
  const fs::path of_another = folder + "-solo";
  fs::copy_file(files()[0], of_another, fs::copy_options::overwrite_existing);
  fs::remove(files()[0]);
  builds<Duo>(folder.c_str(), true);
  CHECK(files().size() == 1);
  const fs::path path = files()[0];
  const std::string good = read(path);
  std::vector<Damage> damages = file_damages();
  for (Damage& damage : other_damages(of_another)) damages.push_back(damage);
  for (size_t at = 0; at < 64; at += 4)  // every field of the head, and its ends
    damages.push_back({"a bit of the head",
                       [at](const fs::path& p, const std::string& b) { changed(p, b, at); }});
  for (size_t k = 0; k < 9; ++k)
    damages.push_back({"a bit of the program", [k](const fs::path& p, const std::string& b) {
                         changed(p, b, 64 + (b.size() - 65) * k / 8);
                       }});
  for (const Damage& damage : damages) {
    const int before = check_failures;
    fs::remove_all(path);
    write(path, good);
    damage.make(path, good);
    CHECK(builds<Duo>(folder.c_str(), true) == 1);
    const bool is_folder = fs::is_directory(path);  // cannot be replaced by a file
    CHECK(builds<Duo>(folder.c_str(), is_folder) == (is_folder ? 1 : 0));
    CHECK(files().size() == 1);
    if (check_failures != before) printf("    after: %s\n", damage.name);
  }
  fs::remove(of_another);
  printf("%zu kinds of damage\n", damages.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !load_mock(argv[1])) return 2;
  folder = argv[2];
  fs::remove_all(folder);
  fs::create_directories(folder);
  second_start_compiles_nothing();
  no_folder_is_no_error();
  a_failed_check_is_not_kept();
  other_weights_leave_it_unchecked();
  damage_is_survived();
  CHECK(live_objects() == 0);
  return check_result();
}
