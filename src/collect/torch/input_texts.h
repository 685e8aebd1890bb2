// A thread's texts of op inputs, interned: the same inputs are looked up, not written again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collect/torch/flops.h"
#include "collect/torch/op_inputs.h"

namespace laptime::torch {

class InputTexts {
 public:
  InputFacts find(Numbers words, FlopRule rule);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    FlopRule rule = FlopRule::none;
    std::vector<std::int64_t> words;
    InputFacts facts;
  };
  static constexpr std::size_t kEntries = 1024;

  std::array<Entry, kEntries> entries_;
};

}  // namespace laptime::torch
