// The names of one plane's events and stats. They stand behind its lines, so they are read first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/flat_map.h"
#include "base/status.h"
#include "import/import_budget.h"
#include "import/xplane/event_kind.h"

namespace laptime {

// Stats that an importer uses.
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
  std::uint32_t name_id = 0, op_id = 0;  // texts of the part, 0 until they are used
};
struct PlaneStatName {
  std::string_view name;
  StatRole role = StatRole::none;
  std::uint32_t name_id = 0;  // text of the part, 0 until it is used as a value
  std::uint32_t config = 0;   // launch config that the name describes, 0 until it is used
};

class PlaneNames {
 public:
  explicit PlaneNames(ImportBudget& budget) : budget_(budget) {}
  PlaneNames(const PlaneNames&) = delete;
  ~PlaneNames() { budget_.give_back(counted_); }

  // Views into `plane`, which outlives this. Throws protozero::exception for damaged bytes. An
  // error if the budget does not hold them.
  Status read(ByteView plane);

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

  Status add_entry(ByteView entry, bool is_event);

  ImportBudget& budget_;
  std::uint64_t counted_ = 0;
  std::string_view name_;
  Table<PlaneEventName> events_;
  Table<PlaneStatName> stats_;
  PlaneEventName unnamed_;
};

}  // namespace laptime
