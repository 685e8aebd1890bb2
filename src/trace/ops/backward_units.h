// The backward units of one process (attribution.h) and their call sites.
//
// While a track is walked, its rows hold *codes*: a call site, or the number of a unit whose call
// site is not known yet. Codes are replaced by call sites once all tracks are walked, because
// backward runs on other threads than forward.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "trace/run/run.h"

namespace laptime {

using CallSiteCode = std::uint32_t;
inline constexpr CallSiteCode kUnitCode = 1u << 31;
inline bool is_unit(CallSiteCode code) { return (code & kUnitCode) != 0; }
inline std::uint32_t unit_number(CallSiteCode code) { return code & ~kUnitCode; }

struct BackwardUnit {
  std::uint64_t link = 0;
  std::int64_t start_ns = 0;
  // The first call site that an op in the unit has of its own, 0 unknown.
  std::uint32_t call_site_of_ops = 0;
  std::uint32_t call_site = 0;  // the result
  enum class State : std::uint8_t { open, resolving, done } state = State::open;
};

// A forward op that made an autograd node.
struct ForwardOp {
  std::int64_t start_ns = INT64_MIN;
  std::uint32_t track = 0;
  CallSiteCode code = 0;
};

class BackwardUnits {
 public:
  // `units`: by track, in falling order of their ends.
  explicit BackwardUnits(std::vector<std::vector<BackwardUnit>*> units)
      : units_(std::move(units)) {}

  void add_forward(std::uint64_t link, const ForwardOp& op) {
    ForwardOp& last = last_[link];
    if (op.start_ns >= last.start_ns) last = op;
  }
  // True if numbers were reused: a link's last op started after one of its units. Then every op
  // must be added once more with add_again, before resolve().
  bool need_again();
  void add_again(std::uint64_t link, const ForwardOp& op);
  void resolve();

 private:
  struct UnitId {
    std::uint32_t track, number;
  };
  BackwardUnit& at(UnitId id) { return (*units_[id.track])[id.number]; }
  const ForwardOp* forward_of(const BackwardUnit& unit) const;
  // Where a unit's call site comes from: another unit, or a call site.
  struct Source {
    bool is_unit = false;
    UnitId unit{};
    std::uint32_t call_site = 0;
  };
  Source source_of(UnitId id);
  void resolve(UnitId id);

  std::vector<std::vector<BackwardUnit>*> units_;
  FlatMap<ForwardOp> last_;
  FlatMap<std::vector<ForwardOp>> again_;  // of links used more than once, by start
};

}  // namespace laptime
