/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clothes PICTURE.txt: which piece of clothing is drawn there? 28 lines of up to 28 characters,
 * from ' ' (black) over .:-=+*#% to '@' (white). Prints the three likeliest answers.
 *
 * Plain C: a compiled model is used by including its header and calling one function. */
#include <stdio.h>
#include <string.h>

#include "fashion.h"

enum { SIDE = 28, CLASSES = 10 };

static const char *const class_names[CLASSES] = {"T-shirt", "trousers", "pullover", "dress",
                                                 "coat",    "sandal",   "shirt",    "sneaker",
                                                 "handbag", "ankle boot"};

/* Returns 0 if the file cannot be read. Short lines are black on the right. */
static int read_picture(const char *path, float *image) {
  static const char shades[] = " .:-=+*#%@";
  char line[256];
  int row, x;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  memset(image, 0, SIDE * SIDE * sizeof *image);
  for (row = 0; row < SIDE && fgets(line, sizeof line, file); ++row) {
    for (x = 0; x < SIDE && line[x] != '\0' && line[x] != '\n'; ++x) {
      const char *shade = strchr(shades, line[x]);
      if (shade) image[row * SIDE + x] = (float)(shade - shades) / 9.0f;
    }
  }
  fclose(file);
  return 1;
}

int main(int argc, char **argv) {
  static unsigned char memory[FASHION_MEMORY_BYTES];
  float image[SIDE * SIDE], scores[CLASSES];
  int rank, i, best;
  if (argc != 2 || !read_picture(argv[1], image)) {
    fprintf(stderr, "usage: clothes PICTURE.txt\n");
    return 2;
  }
  if (fashion_once(memory, sizeof memory, image, scores) != MACEC_OK) {
    fprintf(stderr, "clothes: the model could not be run\n");
    return 1;
  }
  for (rank = 0; rank < 3; ++rank) {
    for (best = 0, i = 1; i < CLASSES; ++i) {
      if (scores[i] > scores[best]) best = i;
    }
    printf("%-10s %5.1f %%\n", class_names[best], 100.0 * (double)scores[best]);
    scores[best] = -1.0f;
  }
  return 0;
}
