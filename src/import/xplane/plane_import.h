// One plane's lines as tracks of a part.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "import/xplane/plane_names.h"
#include "import/xplane/stat_value.h"
#include "import/xplane/track_rows.h"
#include "import/xplane/xplane_part.h"

namespace laptime {

// What several planes of a file have in common.
struct ProfileTimes {
  // Lines of old profilers count from 1970, later ones from the profile's start.
  std::optional<std::int64_t> first_date;     // of a line that counts from 1970
  std::optional<std::int64_t> profile_start;  // as the profile says
};

class PlaneImport {
 public:
  PlaneImport(ByteView plane, XplanePart& part, ProfileTimes& times)
      : plane_(plane), part_(part), times_(times), names_(part.budget()) {}

  // Throws protozero::exception for damaged bytes; what was read before is in the part.
  Status run();

 private:
  enum class Type : std::uint8_t { host, gpu, accelerator };
  struct RawEvent {
    std::uint64_t metadata_id = 0;
    std::int64_t offset_ps = 0, duration_ps = 0;
    bool is_aggregate = false;  // counts occurrences, has no time
  };
  struct LineHead {
    std::int64_t id = 0, timestamp_ns = 0;
    std::string_view name;
    bool has_events = false;
  };
  struct Wait {
    std::int64_t start, end;
    std::uint32_t track;
  };

  void find_type();
  LineHead read_head(ByteView line) const;
  bool is_derived(const LineHead& head) const;
  std::uint32_t add_track(const LineHead& head);
  Status add_line(ByteView line);
  void add_event(ByteView event, const LineHead& head, TrackRows& rows);
  bool set_times(const RawEvent& raw, const LineHead& head, SpanRow& row);
  void add_stat(const StatValue& value, const PlaneEventName& name, SpanRow& row);
  void add_copy(const StatValue& value, const PlaneEventName& name, SpanRow& row);
  void add_kernel(const StatValue& value, SpanRow& row);
  void add_text_arg(std::string_view key, const StatValue& value, SpanRow& row);
  std::uint32_t text_of(const StatValue& value);
  bool leave_out(const PlaneEventName& name);
  void add_plane_stat(const StatValue& value);
  void add_waits();

  ByteView plane_;
  XplanePart& part_;
  ProfileTimes& times_;
  PlaneNames names_;
  Type type_ = Type::host;
  std::uint32_t device_ = 0;
  std::uint64_t major_ = 0, minor_ = 0;  // the device's compute capability

  // Waits for input on threads that mark no steps, for the thread that does.
  std::vector<Wait> waits_;
  std::optional<std::uint32_t> stepping_track_;
  SpanRow twofold_;                           // the last one of this line: EventKind::is_twofold
  std::uint64_t steps_ = 0, most_steps_ = 0;  // of this line; of the stepping one
};

}  // namespace laptime
