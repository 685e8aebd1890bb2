// All names of ops that a thread met, found by their text: behind the few that OpThread holds ready.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

class OpNames {
 public:
  // The name's entry. Past a limit it holds until the next call only, and equals no text.
  const OpName* find(const char* text);

 private:
  struct Kept {
    std::string text;
    OpName name;
  };
  std::deque<Kept> kept_;
  std::unordered_map<std::string_view, const OpName*> by_text_;  // views of kept_
  OpName past_limit_;
};

// What follows from a name's text; `text` must outlive the result.
OpName describe_name(const std::string& text, std::uint32_t id);

}  // namespace laptime::torch
