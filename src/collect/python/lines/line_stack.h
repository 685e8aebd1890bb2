// The shadow stack of the line engine: the open lines of the traced frames of one thread, and when
// they began.
//
// Assumption: the backend reports every entry, line and exit of a traced frame, in order.
// Consequence: a line is charged exactly while its frame runs. Time of traced callees is subtracted
// from its exclusive time. Time suspended at a yield is charged to no line. With recursion, a
// line's inclusive time counts once, at its outermost level. Contract: `child`, `opened` and
// `started` are ticks. Differences may wrap below zero between settle() and the next close; sums
// are correct.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "collect/python/code/code_record.h"

namespace laptime::python {

// Whether the current instruction of the thread's innermost frame begins a statement over several
// lines.
bool is_beginning(const CodeRecord& record);

struct LineCounter {
  std::uint64_t hits = 0;
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
  std::uint32_t depth = 0;  // how often it is open: recursion
  std::uint32_t statement =
      0;  // slot of the first line of its statement, with StatementFlags if it has more lines
};
static_assert(sizeof(LineCounter) == 32);

struct LineFrame {
  const PyObject* code;
  LineCounter* lines;
  LineCounter* current;
  std::uint64_t opened;   // when the current line began
  std::uint64_t child;    // time in traced callees since then
  std::uint64_t started;  // when the frame began
  CodeRecord* record;
  std::int32_t base_line;
  std::uint32_t slot_count;

  void open(LineCounter* line, std::uint64_t now) {
    ++line->depth;
    current = line;
    opened = now;
    child = 0;
  }

  void close(std::uint64_t now) {
    LineCounter* line = current;
    const std::uint64_t elapsed = now - opened;
    line->exclusive += elapsed - child;
    if (--line->depth == 0) line->inclusive += elapsed;
  }

  void move_to(int line, std::uint64_t now) {
    close(now);
    auto slot = static_cast<std::uint32_t>(line - base_line);
    if (slot >= slot_count) [[unlikely]]
      slot = kWholeSlot;
    LineCounter* next = lines + slot;
    if (next->statement == slot) [[likely]] {
      ++next->hits;
    } else {
      count_in_long_statement(next, slot);
    }
    open(next, now);
  }

  // A statement over several lines is executed once. Returning to its first line from its later
  // ones is no new hit. Entering a statement at a later line (a comprehension's) is also a hit of
  // its first line.
  void count_in_long_statement(LineCounter* next, std::uint32_t slot) {
    const std::uint32_t first = next->statement & kStatementSlot;
    if (slot != first) ++next->hits;
    if (((next->statement ^ current->statement) & ~kMayBegin) != 0 ||
        begins_again(next, slot == first))
      ++lines[first].hits;
  }
  // Whether the running statement is executed once more, because a loop around it has no line of
  // its own.
  bool begins_again(const LineCounter* next, bool at_first_line) const {
    // Before 3.12, the jump back to a one-line loop's header is a separate event, besides the
    // return from the lines of its body.
    if (next->statement & kOneLineLoop)
      return at_first_line && (PY_VERSION_HEX >= 0x030C0000 || current == next);
    return next->statement & kMayBegin && is_beginning(*record);
  }
};
static_assert(sizeof(LineFrame) == 64, "one cache line a frame");

class LineStack {
 public:
  LineStack() { reserve(64); }

  LineFrame* top() const { return top_; }
  bool empty() const { return top_ == frames_.get(); }
  std::size_t depth() const { return static_cast<std::size_t>(top_ - frames_.get()); }
  LineFrame* at(std::size_t depth) const {
    return frames_.get() + depth;
  }  // 1: the outermost frame

  LineFrame* push(CodeRecord* record, LineCounter* lines, std::uint32_t slot, std::uint64_t now) {
    if (top_ == last_) [[unlikely]]
      reserve(2 * capacity_);
    LineFrame* frame = ++top_;
    frame->code = record->code;
    frame->lines = lines;
    frame->started = now;
    frame->record = record;
    frame->base_line = record->base_line;
    frame->slot_count = record->slot_count;
    frame->open(lines + slot, now);
    return frame;
  }

  void pop(std::uint64_t now) {
    LineFrame* frame = top_;
    frame->close(now);
    top_ = frame - 1;
    top_->child += now - frame->started;
    if (top_->code == passing_on()) [[unlikely]]
      pop(now);
  }

  // A generator at a `yield from` that passes on a thrown exception. It is open, gets no event of
  // its own, and is left together with the generator that is pushed next.
  void push_passing_on(CodeRecord* record, LineCounter* lines, std::uint32_t slot,
                       std::uint64_t now) {
    push(record, lines, slot, now)->code = passing_on();
  }

  // The frame just pushed sends no line events.
  void move_top_to_whole() {
    LineCounter* whole = top_->lines + kWholeSlot;
    --top_->current->depth;
    ++whole->hits;
    top_->open(whole, top_->opened);
  }

  void pop_all(std::uint64_t now) {
    while (!empty()) pop(now);
  }

  // Adds the time until now, as if every frame had just been entered on its current line.
  void settle(std::uint64_t now);
  // The time since `begin` was laptime's own and is charged to no line. Assumption: all open frames
  // wait for it.
  void skip(std::uint64_t begin, std::uint64_t now);
  // Moves the record's frames to the line of the whole function.
  void move_to_whole(const CodeRecord* record, std::uint64_t now);
  // Removes the record's frames. From now on their time is their callers'.
  void remove(const CodeRecord* record, std::uint64_t now);

 private:
  static const PyObject* passing_on() {
    return reinterpret_cast<const PyObject*>(&passing_on_mark_);
  }
  void reserve(std::size_t frames);

  static inline const char passing_on_mark_ = 0;  // its address differs from every code object's
  std::unique_ptr<LineFrame[]> frames_;           // frames_[0] has no code and matches no event
  LineFrame* top_ = nullptr;
  LineFrame* last_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace laptime::python
