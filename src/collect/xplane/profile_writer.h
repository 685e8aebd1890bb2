// Records what a session of the framework's own profiler saw in this process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/tick_line.h"
#include "collect/xplane/op_calls.h"
#include "collect/xplane/profile_spans.h"

namespace laptime {

class ProfileWriter {
 public:
  using Origin = OpOrigin;
  // The origins of ops of a function, by their full names. It is called once for each op.
  using Resolve = std::function<std::vector<Origin>(std::string_view function,
                                                    const std::vector<std::string_view>& ops)>;

  ProfileWriter(Resolve resolve, ProfileSpans::Filter filter)
      : resolve_(std::move(resolve)), filter_(filter) {}

  // Returns the number of recorded spans. Those outside `from` to `to` are left out or clipped.
  // Damaged bytes count in the warning `xplane_damaged`. Outside a recording it does nothing.
  // `calls`: where ops without a full name come from.
  std::uint64_t put(ByteView space, TickLine::Moment from, TickLine::Moment to,
                    const SortedOpCalls& calls = {});

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // function and op: texts

  std::uint16_t stream_of(const ProfileSpans::Line& line);
  void resolve_new(const ProfileSpans& spans);
  Origin origin_of(const ProfileSpans& spans, const ProfileSpans::Span& span) const;

  Resolve resolve_;
  ProfileSpans::Filter filter_;
  std::map<Key, Origin> origins_;
  std::map<std::uint64_t, std::uint16_t> streams_;
  std::uint32_t epoch_ = 0;  // of the recording that call sites and streams belong to
};

}  // namespace laptime
