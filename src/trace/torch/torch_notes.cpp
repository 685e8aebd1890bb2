#include "trace/torch/torch_notes.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace laptime {

namespace {

constexpr std::int64_t kFurthestNs = 1'000'000;
constexpr std::int64_t kRoundingNs = 20;

// The notes of one thread, walked in the order of its events.
class NoteCursor {
 public:
  void add(const TorchNote& note) { notes_.push_back(note); }
  void sort() {
    std::stable_sort(notes_.begin(), notes_.end(), [](const TorchNote& a, const TorchNote& b) {
      return a.start_ns < b.start_ns;
    });
  }
  // The note nearest to the moment. Null if the nearest one belongs to another op. Contract:
  // moments rise.
  const TorchNote* find(std::int64_t start_ns) {
    const std::int64_t furthest = std::clamp((start_ns - last_ns_) / 2, kRoundingNs, kFurthestNs);
    last_ns_ = start_ns;
    while (at_ + 1 < notes_.size() && distance(at_ + 1, start_ns) <= distance(at_, start_ns)) ++at_;
    if (at_ >= notes_.size() || distance(at_, start_ns) > furthest) return nullptr;
    drift_ = start_ns - notes_[at_].start_ns;
    return &notes_[at_];
  }

 private:
  std::int64_t distance(std::size_t row, std::int64_t start_ns) const {
    return std::abs(notes_[row].start_ns + drift_ - start_ns);
  }

  std::vector<TorchNote> notes_;
  std::size_t at_ = 0;
  std::int64_t drift_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace

void add_notes(const Run& run, TorchNotes notes, std::int64_t duration_ns,
               std::vector<TorchEvent>& events) {
  const double rate = notes.duration_ns > 0 ? static_cast<double>(duration_ns) /
                                                  static_cast<double>(notes.duration_ns)
                                            : 1.0;
  std::unordered_map<std::uint64_t, NoteCursor> threads;
  for (TorchNote& note : notes.notes) {
    note.start_ns = static_cast<std::int64_t>(static_cast<double>(note.start_ns) * rate);
    threads[note.thread].add(note);
  }
  for (auto& [thread, cursor] : threads) cursor.sort();
  for (TorchEvent& event : events) {
    if (!event.is_operation()) continue;
    const auto thread = threads.find(run.tracks[event.track].os_id);
    if (thread == threads.end()) continue;
    if (const TorchNote* const note = thread->second.find(event.start_ns)) {
      event.id = note->id;
      event.details = note->details;
    }
  }
}

}  // namespace laptime
