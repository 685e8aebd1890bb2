// What one thread has begun and not yet ended, the innermost on top.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "collect/torch/input_texts.h"
#include "format/record.h"

namespace laptime::torch {

// What an entry means for those inside of it.
enum class Containing : std::uint8_t {
  nothing,  // an annotation, a function of the user's: the ops inside have places of their own
  ops,      // an op: the ops inside belong to its place
  backward, // a backward node: the frames that called it are not the ops' place
};

struct OpEntry {
  const void* function;
  std::uint64_t start;
  std::uint64_t link;
  std::uint32_t name;
  SpanKind kind;
  Containing containing;
  bool has_inputs;
  const void* outer_floor;  // of backward nodes: the floor outside of it
  InputFacts inputs;
};

// Grows without limit but memory; when there is none, begins are dropped and their ends find nothing.
class OpStack {
 public:
  OpStack() = default;
  OpStack(const OpStack&) = delete;
  ~OpStack() { std::free(first_); }

  OpEntry* push() {
    if (next_ == end_ && !grow()) [[unlikely]] return nullptr;
    return next_++;
  }
  // The entry of `function`, looked for from the top; null when there is none.
  OpEntry* find(const void* function) {
    OpEntry* const top = next_ - 1;
    if (next_ != first_ && top->function == function) [[likely]] return top;
    return find_below(function);
  }
  // Valid until the next push.
  OpEntry take(OpEntry* entry) {
    const OpEntry taken = *entry;
    std::memmove(entry, entry + 1, static_cast<std::size_t>(next_ - entry - 1) * sizeof(OpEntry));
    --next_;
    return taken;
  }
  std::size_t depth() const { return static_cast<std::size_t>(next_ - first_); }

 private:
  bool grow() {
    const std::size_t depth = this->depth(), room = depth == 0 ? 64 : 2 * depth;
    auto* const grown = static_cast<OpEntry*>(std::realloc(first_, room * sizeof(OpEntry)));
    if (grown == nullptr) return false;
    first_ = grown;
    next_ = grown + depth;
    end_ = grown + room;
    return true;
  }
  OpEntry* find_below(const void* function) {
    for (OpEntry* entry = next_; entry != first_;)
      if ((--entry)->function == function) return entry;
    return nullptr;
  }

  OpEntry *first_ = nullptr, *next_ = nullptr, *end_ = nullptr;
};

}  // namespace laptime::torch
