// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/arena.h"

#include "tests/catch.h"

using namespace macec;

namespace {

Interval image(int first, int last, int64_t width, int64_t height, int kind = 0) {
  Interval i{0, width * height * 16, first, last};
  i.width = width;
  i.height = height;
  i.kind = kind;
  return i;
}

// Two that live at the same time in one object.
bool collide(const std::vector<Interval>& intervals, const ObjectPlacing& placing) {
  for (size_t a = 0; a < intervals.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (placing.object[a] == placing.object[b] && intervals[a].meets(intervals[b])) return true;
  return false;
}

}  // namespace

TEST_CASE("an arena reuses what has died") {
  const std::vector<Interval> chain = {{0, 128, 0, 1}, {1, 64, 1, 2}, {2, 128, 2, 3}};
  CHECK(peak_bytes(chain, 4) == 192);
  const Placing placing = place_in_arena(chain, 192);
  CHECK(placing.bytes == 192);
  CHECK(placing.offsets[0] == placing.offsets[2]);
}

TEST_CASE("nothing needs no arena") {
  CHECK(place_in_arena({}, 0).bytes == 0);
  CHECK(place_in_objects({}).objects.empty());
}

TEST_CASE("a chain of images takes two objects in turn") {
  std::vector<Interval> chain;
  for (int s = 0; s < 8; ++s) chain.push_back(image(s, s + 1, 64 >> (s / 3), 64 >> (s / 3)));
  const ObjectPlacing placing = place_in_objects(chain);
  CHECK(placing.objects.size() == 2);
  CHECK_FALSE(collide(chain, placing));
}

TEST_CASE("an object is as large as its largest tenant in both directions") {
  const std::vector<Interval> wide_and_high = {image(0, 0, 16, 4), image(1, 1, 8, 5)};
  const ObjectPlacing placing = place_in_objects(wide_and_high);
  REQUIRE(placing.objects.size() == 1);
  CHECK(placing.objects[0].width == 16);
  CHECK(placing.objects[0].height == 5);
}

TEST_CASE("tenants that would make each other's object too large have their own") {
  const std::vector<Interval> flat_and_tall = {image(0, 0, 100, 1), image(1, 1, 1, 100)};
  CHECK(place_in_objects(flat_and_tall).objects.size() == 2);
}

TEST_CASE("kinds do not share an object") {
  const std::vector<Interval> kinds = {image(0, 0, 8, 8, 1), image(1, 1, 8, 8, 2)};
  CHECK(place_in_objects(kinds).objects.size() == 2);
}

TEST_CASE("placing gives the same result every time") {
  std::vector<Interval> many;
  for (int s = 0; s < 40; ++s) many.push_back(image(s, s + 1 + s % 5, 4 + s * 7 % 31, 2 + s % 9));
  const ObjectPlacing one = place_in_objects(many), two = place_in_objects(many);
  CHECK_FALSE(collide(many, one));
  CHECK(one.object == two.object);
}
