// All frames of Python that run on a thread, as one number (record::add_frame), for whoever wants more than the user's own line.
#pragma once

#include <array>
#include <cstdint>

#include "collect/python/own_frames.h"

namespace laptime::torch {

// What a thread remembers of its frames, without a lock. Assumption: the address of a code object is used again once it is freed, with
// another line table.
class CallFrames {
 public:
  // The frames from `innermost` outwards, up to `floor`, without those of `left_out`. `add(caller, code, instruction)` gives the number of one that is not remembered.
  template <typename Add>
  std::uint32_t find(python::FrameRef innermost, const void* floor, const PyCodeObject* left_out, Add add) {
    std::array<python::FrameRef, kDeepest> frames;
    std::size_t depth = 0;
    for (python::FrameRef frame = innermost; frame != nullptr && frame != floor && depth < kDeepest; frame = python::outer_frame(frame))
      if (const PyCodeObject* const code = python::frame_code(frame); code != nullptr && code != left_out) frames[depth++] = frame;
    std::uint32_t found = 0;
    while (depth > 0) {
      const python::FrameRef frame = frames[--depth];
      const PyCodeObject* const code = python::frame_code(frame);
      const int instruction = python::frame_instruction(frame, code);
      Known& known = known_[slot_of(found, code, instruction)];
      if (known.code != code || known.line_table != code->co_linetable || known.instruction != instruction || known.caller != found)
        known = {code, code->co_linetable, instruction, found, add(found, code, instruction)};
      found = known.frame;
    }
    return found;
  }

 private:
  // Of deeper stacks the outermost are left out.
  static constexpr std::size_t kDeepest = 128, kEntries = 1024;

  struct Known {
    const PyCodeObject* code;
    const void* line_table;
    int instruction;
    std::uint32_t caller, frame;
  };
  static std::size_t slot_of(std::uint32_t caller, const PyCodeObject* code, int instruction) {
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    return (address >> 4 ^ address >> 14 ^ static_cast<std::uintptr_t>(instruction) * 31 ^ std::uintptr_t{caller} * 7) % kEntries;
  }

  std::array<Known, kEntries> known_{};
};

}  // namespace laptime::torch
