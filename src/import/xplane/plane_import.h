// One plane's lines as tracks of a part.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "import/xplane/track_rows.h"
#include "import/xplane/xplane_part.h"
#include "xplane/plane_reader.h"

namespace laptime {

// What several planes of a file have in common.
struct ProfileTimes {
  // Lines of old profilers count from 1970, later ones from the profile's start.
  std::optional<std::int64_t> first_date;     // of a line that counts from 1970
  std::optional<std::int64_t> profile_start;  // as the profile says
};

class PlaneImport : private PlaneVisitor {
 public:
  PlaneImport(ByteView plane, XplanePart& part, ProfileTimes& times)
      : reader_(plane, part), part_(part), times_(times) {}
  PlaneImport(const PlaneImport&) = delete;
  ~PlaneImport() override { part_.budget().give_back(counted_); }

  // Throws protozero::exception for damaged bytes; what was read before is in the part.
  Status run();

 private:
  struct Wait {
    std::int64_t start, end;
    std::uint32_t track;
  };

  std::optional<std::int64_t> begin_line(const LineHead& head) override;
  void add(const PlaneSpan& span) override;
  bool end_line() override;
  void leave_out(LeftOut what) override;
  void add_plane_stat(const StatValue& value) override;

  Status read_names();
  std::uint32_t add_track(const LineHead& head);
  void add_capability();
  void add_waits();

  PlaneReader reader_;
  XplanePart& part_;
  ProfileTimes& times_;
  std::uint64_t counted_ = 0;            // of the names, in the budget
  std::uint64_t major_ = 0, minor_ = 0;  // the device's compute capability
  std::optional<TrackRows> rows_;        // of the current line

  // Waits for input on threads that mark no steps, for the thread that does.
  std::vector<Wait> waits_;
  std::optional<std::uint32_t> stepping_track_;
  std::uint64_t steps_ = 0, most_steps_ = 0;  // of this line; of the stepping one
};

}  // namespace laptime
