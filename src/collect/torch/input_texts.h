// What a thread knows of its ops' inputs: the same inputs are looked up, not written again.
//
// Inputs are taken for the same when their 64-bit hashes are. Assumption: a program has at most 65,535 kinds of them, of which two share
// a hash in one program of ten thousand million. Consequence: looking one up touches a single line of memory.
#pragma once

#include <array>
#include <cstdint>

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
  };
  static constexpr std::size_t kEntries = 4096;

  std::array<Entry, kEntries> entries_;
};

}  // namespace laptime::torch
