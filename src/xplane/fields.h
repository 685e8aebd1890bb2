// Field numbers of the xplane messages (tsl/profiler/protobuf/xplane.proto).
#pragma once

#include <protozero/types.hpp>

namespace laptime::xplane {

enum class Space : protozero::pbf_tag_type { planes = 1, errors = 2, warnings = 3, hostnames = 4 };
enum class Plane : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  lines = 3,
  event_metadata = 4,
  stat_metadata = 5,
  stats = 6,
};
enum class Line : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  timestamp_ns = 3,
  events = 4,
  duration_ps = 9,
  display_id = 10,
  display_name = 11,
};
enum class Event : protozero::pbf_tag_type {
  metadata_id = 1,
  offset_ps = 2,
  duration_ps = 3,
  stats = 4,
  num_occurrences = 5,
};
enum class Stat : protozero::pbf_tag_type {
  metadata_id = 1,
  real = 2,
  uint64 = 3,
  int64 = 4,
  text = 5,
  bytes = 6,
  reference = 7,  // the name of that stat metadata is the value
};
enum class Entry : protozero::pbf_tag_type { key = 1, value = 2 };  // of both maps
// Of event and stat metadata. Stat metadata has a description where event metadata has bytes.
enum class Metadata : protozero::pbf_tag_type { id = 1, name = 2, display_name = 4 };

}  // namespace laptime::xplane
