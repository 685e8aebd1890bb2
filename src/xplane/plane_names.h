// The names of one plane's events and stats. They stand behind its lines, so they are read first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/flat_map.h"
#include "xplane/event_kind.h"

namespace laptime {

// Stats with a meaning here.
enum class StatRole : std::uint8_t {
  none,
  step_num,
  correlation_id,
  hlo_op,
  hlo_module,
  tf_op,
  tensor_shapes,
  kernel_details,
  memcpy_details,
  memset_details,
  graph_node,
  function_call,
  id,
  // Of stages of tf.data.
  parent_id,
  buffered_elements,
  parallelism,
  num_parallel_calls,
  autotune,
  // Of allocations.
  allocator,
  address,
  allocated_bytes,
  // Of whole planes.
  process_id,
  profile_start_time,
  device_name,
  compute_major,
  compute_minor,
};

struct PlaneEventName {
  EventKind kind;
  std::string_view full_name;
  std::uint32_t name_id = 0, detail_id = 0;  // texts, 0 until they are used
};
struct PlaneStatName {
  std::string_view name;
  StatRole role = StatRole::none;
  std::uint32_t name_id = 0;  // a text, 0 until it is used as a value
  std::uint32_t config = 0;   // launch config that the name describes, 0 until it is used
};

class PlaneNames {
 public:
  PlaneNames() = default;
  PlaneNames(const PlaneNames&) = delete;

  // Views into `plane`, which outlives this. Throws protozero::exception for damaged bytes. False
  // if they need more than `memory` bytes.
  bool read(ByteView plane, std::uint64_t memory);
  // The bytes that they need.
  std::uint64_t memory() const { return memory_; }

  PlaneEventName& event(std::uint64_t id);  // an unnamed one where there is none
  PlaneStatName* stat(std::uint64_t id);    // null: there is none
  std::string_view plane_name() const { return name_; }

 private:
  template <typename Name>
  struct Table {
    std::vector<Name> names;
    FlatMap<std::uint32_t> by_id;  // id + 1 → number + 1
    Name* find(std::uint64_t id);
  };
  struct RawEntry;

  void add_entry(ByteView entry, bool is_event);

  std::uint64_t memory_ = 0;
  std::string_view name_;
  Table<PlaneEventName> events_;
  Table<PlaneStatName> stats_;
  PlaneEventName unnamed_;
};

}  // namespace laptime
