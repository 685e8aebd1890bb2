// All Python frames of a thread as one number (record::add_frame), for users of more than the
// user's own line.
#pragma once

#include <array>
#include <cstdint>

#include "collect/python/interpreter/own_frames.h"
#include "collect/torch/remembered.h"

namespace laptime::torch {

struct KnownFrame {
  struct Key {
    std::uint64_t code = 0;  // python::code_identity
    int instruction = 0;
    std::uint32_t caller = 0;

    bool operator==(const Key&) const = default;
    std::uint64_t hash() const {
      return spread(spread(code, caller), static_cast<std::uint32_t>(instruction));
    }
  };
  Key at;
  std::uint32_t frame = 0;
  bool is_known = false;

  bool is_free() const { return !is_known; }
  const Key& key() const { return at; }
};

// The frames that a thread remembers, without a lock.
class CallFrames {
 public:
  // The frames from `innermost` outwards, up to `floor`, except those of `left_out`. `add(caller,
  // code, instruction)` returns the number of a frame that is not remembered.
  template <typename Add>
  std::uint32_t find(python::FrameRef innermost, const void* floor, const PyCodeObject* left_out,
                     Add add) {
    std::array<python::FrameRef, kDeepest> frames;
    std::size_t depth = 0;
    for (python::FrameRef frame = innermost; frame != nullptr && frame != floor && depth < kDeepest;
         frame = python::outer_frame(frame))
      if (const PyCodeObject* const code = python::frame_code(frame);
          code != nullptr && code != left_out)
        frames[depth++] = frame;
    std::uint32_t found = 0;
    while (depth > 0) {
      const python::FrameRef frame = frames[--depth];
      const PyCodeObject* const code = python::frame_code(frame);
      const int instruction = python::frame_instruction(frame, code);
      const KnownFrame::Key key{python::code_identity(code), instruction, found};
      const KnownFrame* const known = known_.find(key);
      found = known != nullptr ? known->frame : remember(key, add(found, code, instruction));
    }
    return found;
  }

 private:
  // In deeper stacks, the outermost frames are left out.
  static constexpr std::size_t kDeepest = 128;

  std::uint32_t remember(const KnownFrame::Key& key, std::uint32_t frame) {
    (void)known_.add({key, frame, true});
    return frame;
  }

  Remembered<KnownFrame> known_;
};

}  // namespace laptime::torch
