#include "collect/python/lines/line_stack.h"

#include <algorithm>

namespace laptime::python {

void LineStack::reserve(std::size_t frames) {
  auto grown = std::make_unique<LineFrame[]>(frames);
  const std::size_t used = frames_ ? depth() + 1 : 1;
  if (frames_)
    std::memcpy(static_cast<void*>(grown.get()), frames_.get(), used * sizeof(LineFrame));
  frames_ = std::move(grown);
  capacity_ = frames;
  top_ = frames_.get() + used - 1;
  last_ = frames_.get() + frames - 1;
}

void LineStack::settle(std::uint64_t now) {
  for (LineFrame* frame = frames_.get() + 1; frame <= top_; ++frame) {
    if (frame < top_) frame->child += now - frame[1].started;
    frame->close(now);
    frame->open(frame->current, now);
    frame->started = now;
  }
}

void LineStack::skip(std::uint64_t begin, std::uint64_t now) {
  const auto later = [&](std::uint64_t moment) { return now - (begin - std::min(begin, moment)); };
  for (LineFrame* frame = frames_.get() + 1; frame <= top_; ++frame) {
    frame->opened = later(frame->opened);
    frame->started = later(frame->started);
  }
}

void LineStack::move_to_whole(const CodeRecord* record, std::uint64_t now) {
  settle(now);
  for (LineFrame* frame = frames_.get() + 1; frame <= top_; ++frame) {
    if (frame->record != record) continue;
    frame->close(now);
    frame->open(frame->lines + kWholeSlot, now);
  }
}

void LineStack::remove(const CodeRecord* record, std::uint64_t now) {
  settle(now);
  LineFrame* kept = frames_.get();
  for (LineFrame* frame = frames_.get() + 1; frame <= top_; ++frame) {
    if (frame->record == record) {
      frame->close(now);
    } else {
      *++kept = *frame;
    }
  }
  top_ = kept;
}

}  // namespace laptime::python
