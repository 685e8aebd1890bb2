// One plane of a profile: its lines and their spans, in the order of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "xplane/event_decoder.h"
#include "xplane/plane_names.h"
#include "xplane/span_row.h"
#include "xplane/stat_value.h"

namespace laptime {

// Timestamps of lines above it count from 1970; below it from the profile's start (a profile of 3
// years).
inline constexpr std::int64_t kEarliestDate = 100'000'000'000'000'000;

struct LineHead {
  std::int64_t id = 0, timestamp_ns = 0;
  std::string_view name;
  bool has_events = false;
};

// An event as a span. Times are those of the line, plus what begin_line returned.
struct PlaneSpan {
  SpanRow& row;
  const PlaneEventName& name;
  std::uint64_t run_id;  // of a run of a function: the same for all its ops; 0: none
  bool repeats;          // the span around it: the profiler noted the call twice
};

class PlaneVisitor {
 public:
  enum class LeftOut : std::uint8_t { pool_note, derived_line, aggregate, impossible_time };

  virtual ~PlaneVisitor() = default;
  // The time of the line's zero in ns. Nothing: the line is left out.
  virtual std::optional<std::int64_t> begin_line(const LineHead& head) = 0;
  virtual void add(const PlaneSpan& span) = 0;
  // Called even if the line is damaged. False: no more lines.
  virtual bool end_line() = 0;
  virtual void leave_out(LeftOut what) = 0;
  virtual void add_plane_stat(const StatValue& value) = 0;
};

class PlaneReader {
 public:
  // Contract: both outlive this.
  PlaneReader(ByteView plane, SpanTexts& texts) : plane_(plane), decoder_(names_, texts) {}

  // False if the names need more than `memory` bytes. Throws protozero::exception for damaged
  // bytes, as run does.
  bool read_names(std::uint64_t memory);
  // The bytes that the names need.
  std::uint64_t memory() const { return names_.memory(); }
  // Contract: the names are read.
  void run(PlaneVisitor& visitor);

  PlaneType type() const { return type_; }
  std::uint32_t device() const { return device_; }
  std::string_view name() const { return names_.plane_name(); }

 private:
  struct RawEvent;

  bool is_derived(const LineHead& head) const;
  bool read_line(ByteView line, PlaneVisitor& visitor);
  void read_event(ByteView event, std::int64_t zero, PlaneVisitor& visitor);
  bool set_times(const RawEvent& raw, std::int64_t zero, SpanRow& row, PlaneVisitor& visitor) const;

  ByteView plane_;
  PlaneNames names_;
  EventDecoder decoder_;
  PlaneType type_ = PlaneType::host;
  std::uint32_t device_ = 0;
  SpanRow twofold_;  // the last one of this line: EventDecoder::is_twofold
};

}  // namespace laptime
