// Facts: data that a process reports once. A facts frame is a list of entries, each
// [type][length][fields], so a reader skips types that it does not know.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "format/device.h"
#include "format/names.h"
#include "format/record.h"

namespace laptime {

enum class TrackKind : std::uint8_t { thread = 0, stream = 1, device = 3 };  // 2 is free
enum class Severity : std::uint8_t { info = 0, warning = 1, error = 2 };

struct StringFact {
  std::uint32_t id;
  std::string_view text;
};
struct TrackFact {  // a later fact with the same id replaces the earlier: threads get their names
                    // late
  std::uint32_t id;
  TrackKind kind;
  std::uint64_t os_id;  // thread id, stream id
  std::uint32_t name;   // string id, 0 unnamed
};
// A text, an integer or a real; numbers are never written as texts.
using PropertyValue = std::variant<std::string_view, std::int64_t, double>;
struct PropertyFact {  // of the process (names.h); a later value replaces an earlier one
  std::string_view key;
  PropertyValue value;
};
struct DevicePropertyFact {  // the same of a device that the process sees
  Device device;
  std::string_view key;
  PropertyValue value;
};
struct DeviceFact {    // the device that records mean by a name
  std::uint32_t name;  // string id
  Device device;
};
struct ClockFact {  // the same moment on the part's clock, on the machine's, and as a date
  std::int64_t part_ns;
  std::int64_t monotonic_ns;
  std::int64_t realtime_ns;
};
struct WarningFact {    // counts for one name add up over facts
  std::uint32_t index;  // place in the part header's counters
  Severity severity;
  std::uint64_t count;
  std::string_view name, message;
};
struct CodeFact {
  std::uint32_t id;
  std::uint32_t file, name;  // string ids
  std::uint32_t first_line;
  std::uint32_t flags;  // CodeFlags
};
// Demoted: its lines are no longer timed. Cut: its calls are no longer counted; earlier counts
// stay.
enum CodeFlags : std::uint32_t {
  kCodeBuiltin = 1,
  kCodeDemotedToCalls = 2,
  kCodeDemotedToCounts = 4,
  kCodeCallsCut = 8
};

struct CallSiteFact {  // where in the program something was caused
  std::uint32_t id;
  std::uint32_t code, line;
  std::uint32_t
      module;  // string id: the module's path in its model ("encoder.0.attention"), 0 none
  std::uint32_t frame = 0;  // CallFrameFact: the innermost frame then; 0 unknown
};

struct CallFrameFact {  // a function that was running, at a line, called by another
  std::uint32_t id;
  std::uint32_t caller;  // CallFrameFact, of a smaller id; 0: none
  std::uint32_t code, line;
};

struct LaunchConfig {
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t registers = 0, static_shared = 0, dynamic_shared = 0;

  std::uint64_t shared() const { return std::uint64_t{static_shared} + dynamic_shared; }
  auto operator<=>(const LaunchConfig&) const = default;
};
struct LaunchConfigFact {  // of the kernels that name it; each distinct one has one fact
  std::uint32_t id;
  LaunchConfig config;
};

struct SharedArg {
  ArgKey key;
  ArgType type;
  std::uint64_t value;
  auto operator<=>(const SharedArg&) const = default;
};
struct ArgsFact {  // arguments that many raw records have alike; only in parts: sealing writes them
                   // out
  std::uint32_t id;
  std::vector<SharedArg> args;
};

struct SourceFact {    // the text of a source file as the recording process saw it
                       // (format/sources/source_text.h)
  std::uint32_t file;  // string id
  std::uint32_t raw_size;
  std::string_view stored;
};

using Fact = std::variant<StringFact, TrackFact, PropertyFact, ClockFact, WarningFact, CodeFact,
                          CallSiteFact, ArgsFact, CallFrameFact, SourceFact, LaunchConfigFact,
                          DevicePropertyFact, DeviceFact>;

void append_fact(Bytes& out, const Fact& fact);

// Calls `visit` for each known fact in order; false when the payload is malformed (the facts before
// that were visited).
bool for_each_fact(ByteView payload, const std::function<void(const Fact&)>& visit);

}  // namespace laptime
