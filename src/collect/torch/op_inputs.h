// Reads an op's inputs in the shim's encoding (InputKind), one after the other or by index.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

using Numbers = std::span<const std::int64_t>;

struct OpInput {
  InputKind kind = InputKind::other;
  int type = 0;     // torch's ScalarType, of tensors
  Numbers numbers;  // sizes, integers; for a tensor list the words of its tensors
};

// Contract: words that end too early read as an input of kind other. Nothing beyond them is read.
class OpInputs {
 public:
  explicit OpInputs(Numbers words) : words_(words) {}

  // The next input. Empty at the end.
  std::optional<OpInput> next();
  OpInput at(std::size_t index) const;
  Numbers words() const { return words_; }

 private:
  Numbers words_;
  std::size_t position_ = 0;
};

// The format of torch.profiler: sizes of tensors, [] for inputs without sizes, names of C++ types.
// If the text is longer than `longest`, inputs are emptied: the longest first, and of equal ones
// the last. Inputs with an index over a quarter of `longest` are left out of both texts.
std::string shapes_text(const OpInputs& inputs, std::size_t longest);
std::string types_text(const OpInputs& inputs, std::size_t longest);

}  // namespace laptime::torch
