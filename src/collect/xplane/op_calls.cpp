#include "collect/xplane/op_calls.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "record/collector.h"

namespace laptime {

namespace {

// An op begins soon after its call. So a call that encloses it is among the last ones before it.
constexpr int kMostSteps = 16;

}  // namespace

SortedOpCalls::SortedOpCalls(std::vector<OpCall> calls) : calls_(std::move(calls)) {
  std::sort(calls_.begin(), calls_.end(), [](const OpCall& a, const OpCall& b) {
    return std::tie(a.thread, a.begin) < std::tie(b.thread, b.begin);
  });
}

const OpCall* SortedOpCalls::find(std::uint64_t thread, std::uint64_t moment) const {
  auto at = std::upper_bound(calls_.begin(), calls_.end(), std::pair(thread, moment),
                             [](const auto& wanted, const OpCall& call) {
                               return wanted < std::pair<std::uint64_t, std::uint64_t>(call.thread,
                                                                                       call.begin);
                             });
  for (int step = 0; step < kMostSteps && at != calls_.begin(); ++step) {
    --at;
    if (at->thread != thread) return nullptr;
    if (moment < at->end) return &*at;
  }
  return nullptr;
}

void OpCalls::add(const OpCall& call) {
  if (calls_.size() < kMost) return calls_.push_back(call);
  static const std::uint32_t warning =
      record::warning_index("op_calls_full", Severity::warning,
                            "single ops past the limit of a recorded interval have no line");
  record::warn(warning);
}

SortedOpCalls OpCalls::take() { return SortedOpCalls(std::exchange(calls_, {})); }

}  // namespace laptime
