// An op's inputs as the shim describes them (InputKind), to be read one after the other or by
// number.
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

// Contract: words that end too early read as an input of kind other; nothing beyond them is read.
class OpInputs {
 public:
  explicit OpInputs(Numbers words) : words_(words) {}

  // The input after those taken so far; none at the end.
  std::optional<OpInput> next();
  OpInput at(std::size_t index) const;
  Numbers words() const { return words_; }

 private:
  Numbers words_;
  std::size_t position_ = 0;
};

// As torch.profiler writes them: sizes of tensors, [] for what has none; the names of C++ types.
// Where the text would be longer than `longest`, inputs say nothing, the longest first, and of
// these the last; inputs after a quarter as many are left out of both texts alike.
std::string shapes_text(const OpInputs& inputs, std::size_t longest);
std::string types_text(const OpInputs& inputs, std::size_t longest);

}  // namespace laptime::torch
