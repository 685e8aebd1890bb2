// A thread's names of ops: from torch's text to what the recorder needs to know about it.
//
// Assumption: an ATen op's name stays at its address; an autograd node's or a user scope's dangles, and its address soon
// holds another text. Consequence: the address only says where to look, and the text is compared every time. A steady
// program finds a name with one load and one comparison; a new text at a known address costs one hash of the text.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collect/torch/flops.h"

namespace laptime::torch {

struct OpName {
  std::string text;
  std::uint32_t id = 0;  // record::intern
  enum class Role : std::uint8_t {
    op,
    evaluates_node,   // autograd::engine::evaluate_function: …: contains ops without being one
    python_function,  // no namespace, as torch.autograd.Function's: may run lines of the user's inside
  } role = Role::op;
  FlopRule flops = FlopRule::none;
};

class OpNames {
 public:
  OpNames();
  const OpName* find(const char* text) {
    const OpName*& entry = entries_[slot_of(text)];
    if (entry != nullptr && std::strcmp(entry->text.c_str(), text) == 0) [[likely]] return entry;
    entry = add(text);
    return entry;
  }

 private:
  static constexpr std::size_t kEntries = 1024;
  static std::size_t slot_of(const char* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    return (address >> 3 ^ address >> 13) & (kEntries - 1);
  }
  const OpName* add(const char* text);

  std::array<const OpName*, kEntries> entries_{};
  std::deque<OpName> names_;
  OpName other_;  // for all past the limit; its text equals none
  std::unordered_map<std::string_view, const OpName*> by_text_;  // views of names_
};

}  // namespace laptime::torch
