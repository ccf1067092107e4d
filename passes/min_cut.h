// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact assignment of things to two sides at the least sum of costs, as a minimum cut (H. S. Stone,
// "Multiprocessor scheduling with the aid of network flow algorithms", 1977).
//
//   source = the first side            a thing costs `second` if the cut leaves it with the sink
//      |  second(a)                    and `first` if with the source; a pair costs something if its
//      a ---- cost ----> b             first is with the source and its second with the sink
//      |  first(a)
//   sink = the second side
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace macec {

class MinCut {
 public:
  // More than any sum of costs; costs themselves are below kNever / 2^20.
  static constexpr int64_t kNever = int64_t{1} << 60;

  // A thing, with what it costs on each side. Returns its number.
  int add(int64_t first, int64_t second);
  // Costs `cost` if `a` is on the first side and `b` on the second. kNever: must not be.
  void add_pair(int a, int b, int64_t cost);
  // Least cost; kNever or more: impossible. May be called once.
  int64_t solve();
  // After solve. Where both sides cost the same, a thing is on the second.
  bool is_on_first(int thing) const { return reached_[static_cast<size_t>(thing)] >= 0; }

 private:
  struct Arc {
    int to;
    int64_t room;  // its reverse arc has the next or the one before number
  };
  void add_arc(int from, int to, int64_t cost);
  bool find_levels();
  int64_t push_along_one_path();

  static constexpr int kSource = 0, kSink = 1;
  std::vector<Arc> arcs_;
  std::vector<std::vector<int>> from_ = {{}, {}};  // arcs by their start
  std::vector<int> reached_;                       // level from the source, -1 none
  std::vector<size_t> next_;                       // arc to try
};

}  // namespace macec
