// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ordinary program that uses a compiled model: what is it that the pictures show?
//
//   fashion IMAGES LABELS [COUNT]     IDX files as Fashion-MNIST has them, not gzipped
//
// Everything that concerns the model is in classify() and in the three lines of main() that open
// and close it. The rest reads files, counts and prints. Exits with 1 if fewer than 92 % of the
// pictures are recognised: the model reaches 94.89 %, so then something is wrong with the code.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fashion.h"

namespace {

constexpr int kSide = 28, kPixels = kSide * kSide, kClasses = 10;
constexpr double kExpectedShare = 0.92;
const char* const kClassNames[kClasses] = {"T-shirt", "trousers",  "pullover", "dress",
                                           "coat",    "sandal",    "shirt",    "sneaker",
                                           "handbag", "ankle boot"};

struct Picture {
  const std::uint8_t* pixels;  // 28 rows of 28, 0 black
  int truth;
  int guess = -1;
  float probability = 0;
};

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "fashion: %s\n", text.c_str());
  std::exit(2);
}

// The data behind the header of an IDX file of bytes: 0 0 8 rank, then each extent, big-endian.
std::vector<std::uint8_t> read_idx(const std::string& path, std::size_t rank, std::size_t item) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read '" + path + "'");
  std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  const std::size_t head = 4 + 4 * rank;
  if (bytes.size() < head || bytes[2] != 8 || bytes[3] != rank) {
    fail("'" + path + "' is no IDX file of bytes with " + std::to_string(rank) +
         " axes (still gzipped?)");
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(head));
  if (bytes.size() % item != 0) fail("'" + path + "' is cut off");
  return bytes;
}

// Fills in guess and probability.
void classify(fashion_ctx* model, Picture& picture) {
  float image[kPixels], scores[kClasses];
  for (int i = 0; i < kPixels; ++i) image[i] = static_cast<float>(picture.pixels[i]) / 255.0f;
  if (fashion_run(model, image, scores) != MACEC_OK) fail("the run failed");
  picture.guess = static_cast<int>(std::max_element(scores, scores + kClasses) - scores);
  picture.probability = scores[picture.guess];
}

// Up to three pictures side by side. A character is twice as high as wide: it stands for two rows.
void print_pictures(const std::vector<Picture>& pictures) {
  constexpr char kShades[] = " .:-=+*#%@";
  constexpr int kFirst = 1, kLast = kSide - 2, kWidth = kLast - kFirst + 2;  // borders left out
  std::vector<std::string> lines(kSide / 2 + 2);
  for (std::size_t p = 0; p < pictures.size(); ++p) {
    const Picture& picture = pictures[p];
    for (int row = 0; row < kSide; row += 2) {
      std::string& line = lines[static_cast<std::size_t>(row / 2)];
      for (int x = kFirst; x <= kLast; ++x) {
        const std::uint8_t* at = picture.pixels + row * kSide + x;
        line += kShades[(at[0] + at[kSide]) * 9 / (2 * 255)];
      }
    }
    char words[64];
    std::snprintf(words, sizeof words, "%s, %.0f %% sure", kClassNames[picture.guess],
                  100.0 * static_cast<double>(picture.probability));
    lines[kSide / 2] += words;
    lines[kSide / 2 + 1] += std::string("is: ") + kClassNames[picture.truth];
    for (std::string& line : lines) line.resize((p + 1) * kWidth, ' ');
  }
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

std::vector<Picture> first_three(const std::vector<Picture>& pictures, bool right) {
  std::vector<Picture> picked;
  for (const Picture& picture : pictures) {
    if (picked.size() < 3 && (picture.guess == picture.truth) == right) picked.push_back(picture);
  }
  return picked;
}

// Classifies all pictures; microseconds each.
std::vector<double> classify_all(fashion_ctx* model, std::vector<Picture>& pictures) {
  using clock = std::chrono::steady_clock;
  std::vector<double> microseconds;
  for (Picture& picture : pictures) {
    const clock::time_point start = clock::now();
    classify(model, picture);
    microseconds.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  return microseconds;
}

double percentile(std::vector<double> values, double share) {
  const std::size_t i = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values.end());
  return values[i];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) fail("usage: fashion IMAGES LABELS [COUNT]");
  const std::vector<std::uint8_t> images = read_idx(argv[1], 3, kPixels);
  const std::vector<std::uint8_t> labels = read_idx(argv[2], 1, 1);
  std::size_t count = std::min(images.size() / kPixels, labels.size());
  if (argc == 4)
    count = std::min(count, static_cast<std::size_t>(std::strtoul(argv[3], nullptr, 10)));
  if (count == 0) fail("no pictures");
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < count; ++i) pictures.push_back({&images[i * kPixels], labels[i]});

  static unsigned char memory[FASHION_MEMORY_BYTES];
  fashion_ctx* model = nullptr;
  if (fashion_open(&model, memory, sizeof memory, nullptr) != MACEC_OK) fail("open failed");
  const std::vector<double> microseconds = classify_all(model, pictures);
  fashion_close(model);

  const auto is_right = [](const Picture& picture) { return picture.guess == picture.truth; };
  const auto right = std::count_if(pictures.begin(), pictures.end(), is_right);
  const double share = static_cast<double>(right) / static_cast<double>(count);
  print_pictures(first_three(pictures, true));
  std::printf("\nand where it errs:\n\n");
  print_pictures(first_three(pictures, false));
  std::printf("\n%zu pictures: %.2f %% right\n", count, 100.0 * share);
  std::printf("time    %.0f microseconds a picture (99 of 100 within %.0f), one thread\n",
              percentile(microseconds, 0.5), percentile(microseconds, 0.99));
  std::printf("memory  %d bytes, known when this program was compiled\n", FASHION_MEMORY_BYTES);
  return share < kExpectedShare ? 1 : 0;
}
