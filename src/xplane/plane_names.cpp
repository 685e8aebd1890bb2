#include "xplane/plane_names.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_message.hpp>
#include <utility>

#include "xplane/fields.h"
#include "xplane/protobuf_views.h"

namespace laptime {

namespace {

using xplane::Entry;
using xplane::Metadata;
using xplane::Plane;

constexpr std::array<std::pair<std::string_view, StatRole>, 25> kRoles{{
    {"step_num", StatRole::step_num},
    {"correlation_id", StatRole::correlation_id},
    {"hlo_op", StatRole::hlo_op},
    {"hlo_module", StatRole::hlo_module},
    {"tf_op", StatRole::tf_op},
    {"tensor_shapes", StatRole::tensor_shapes},
    {"kernel_details", StatRole::kernel_details},
    {"memcpy_details", StatRole::memcpy_details},
    {"memset_details", StatRole::memset_details},
    {"cuda_graph_node_id", StatRole::graph_node},
    {"tf_function_call", StatRole::function_call},
    {"id", StatRole::id},
    {"parent_id", StatRole::parent_id},
    {"buffered_elements", StatRole::buffered_elements},
    {"parallelism", StatRole::parallelism},
    {"num_parallel_calls", StatRole::num_parallel_calls},
    {"autotune", StatRole::autotune},
    {"allocator_name", StatRole::allocator},
    {"addr", StatRole::address},
    {"requested_bytes", StatRole::allocated_bytes},
    {"process_id", StatRole::process_id},
    {"profile_start_time", StatRole::profile_start_time},
    {"gpu_device_name", StatRole::device_name},
    {"compute_cap_major", StatRole::compute_major},
    {"compute_cap_minor", StatRole::compute_minor},
}};

StatRole role_of(std::string_view name) {
  const auto* it = std::find_if(kRoles.begin(), kRoles.end(),
                                [&](const auto& known) { return known.first == name; });
  return it == kRoles.end() ? StatRole::none : it->second;
}

// A name in a table with its place in the map; a vector grows by half.
constexpr std::uint64_t kBytesOfPlace = 64;

}  // namespace

struct PlaneNames::RawEntry {
  std::uint64_t id = 0;
  std::string_view name, display_name;
};

template <typename Name>
Name* PlaneNames::Table<Name>::find(std::uint64_t id) {
  const std::uint32_t* const number = id == UINT64_MAX ? nullptr : by_id.find(id + 1);
  return number ? &names[*number - 1] : nullptr;
}

PlaneEventName& PlaneNames::event(std::uint64_t id) {
  PlaneEventName* const known = events_.find(id);
  return known ? *known : unnamed_;
}

PlaneStatName* PlaneNames::stat(std::uint64_t id) { return stats_.find(id); }

void PlaneNames::add_entry(ByteView bytes, bool is_event) {
  RawEntry raw;
  protozero::pbf_message<Entry> entry(as_data(bytes));
  while (entry.next()) {
    if (entry.tag() == Entry::key && is_number(entry)) {
      raw.id = entry.get_uint64();
    } else if (entry.tag() == Entry::value && is_length(entry)) {
      protozero::pbf_message<Metadata> metadata(entry.get_view());
      while (metadata.next()) {
        if (metadata.tag() == Metadata::name && is_length(metadata))
          raw.name = as_text(metadata.get_view());
        else if (metadata.tag() == Metadata::display_name && is_length(metadata) && is_event)
          raw.display_name = as_text(metadata.get_view());
        else
          metadata.skip();
      }
    } else {
      entry.skip();
    }
  }
  if (raw.id == UINT64_MAX) return;
  memory_ += kBytesOfPlace + 2 * (is_event ? sizeof(PlaneEventName) : sizeof(PlaneStatName));
  if (is_event) {
    PlaneEventName name;
    name.full_name = raw.name;
    name.kind = event_kind(raw.name, raw.display_name);
    events_.names.push_back(name);
    events_.by_id[raw.id + 1] = static_cast<std::uint32_t>(events_.names.size());
  } else {
    stats_.names.push_back({raw.name, role_of(raw.name)});
    stats_.by_id[raw.id + 1] = static_cast<std::uint32_t>(stats_.names.size());
  }
}

bool PlaneNames::read(ByteView plane, std::uint64_t memory) {
  unnamed_.full_name = "unnamed";
  unnamed_.kind = {SpanKind::scope, unnamed_.full_name};
  protozero::pbf_message<Plane> message(as_data(plane));
  while (message.next()) {
    if (!is_length(message)) {
      message.skip();
      continue;
    }
    switch (message.tag()) {
      case Plane::name:
        name_ = as_text(message.get_view());
        break;
      case Plane::event_metadata:
        add_entry(as_bytes(message.get_view()), true);
        break;
      case Plane::stat_metadata:
        add_entry(as_bytes(message.get_view()), false);
        break;
      default:
        message.skip();
    }
    if (memory_ > memory) return false;
  }
  return true;
}

}  // namespace laptime
