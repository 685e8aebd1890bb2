// What a thread knows of its ops' inputs: the same inputs are looked up, not written again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collect/torch/flops.h"
#include "collect/torch/op_inputs.h"

namespace laptime::torch {

class InputTexts {
 public:
  // Shapes, types and FLOPs as arguments that ops share (record::add_args); 0, and a loss, when there are too many.
  std::uint16_t find(Numbers words, FlopRule rule);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint16_t args = 0;
    FlopRule rule = FlopRule::none;
    std::vector<std::int64_t> words;
  };
  static constexpr std::size_t kEntries = 4096;

  std::array<Entry, kEntries> entries_;
};

}  // namespace laptime::torch
