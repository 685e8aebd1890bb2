#include "import/xplane/plane_import.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <string>

#include "format/names.h"
#include "import/xplane/fields.h"
#include "import/xplane/protobuf_views.h"

namespace laptime {

namespace {

constexpr std::int64_t kPsPerNs = 1000;
// Timestamps above it count from 1970; below it from the profile's start (a profile of 3 years).
constexpr std::int64_t kEarliestDate = 100'000'000'000'000'000;
constexpr std::int64_t kLatest = std::int64_t{1} << 58;  // readers refuse later times
constexpr std::string_view kGpuPlane = "/device:GPU:", kDevicePlane = "/device:";

std::uint32_t number_behind(std::string_view text, std::string_view prefix) {
  std::uint32_t number = 0;
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Status PlaneImport::run() {
  RETURN_IF_ERROR(names_.read(plane_));
  find_type();
  protozero::pbf_message<xplane::Plane> plane(as_data(plane_));
  while (plane.next()) {
    if (plane.tag() == xplane::Plane::lines && is_length(plane))
      RETURN_IF_ERROR(add_line(as_bytes(plane.get_view())));
    else if (plane.tag() == xplane::Plane::stats && is_length(plane))
      add_plane_stat(read_stat(plane.get_view(), names_));
    else
      plane.skip();
  }
  if (type_ == Type::gpu && major_ != 0) {
    const Device device{DeviceKind::cuda, device_};
    part_.set_device_property(device, device_property::kComputeMajor,
                              static_cast<std::int64_t>(major_));
    part_.set_device_property(device, device_property::kComputeMinor,
                              static_cast<std::int64_t>(minor_));
  }
  add_waits();
  if (part_.budget().exceeded()) return part_.budget().refusal();
  return {};
}

void PlaneImport::find_type() {
  const std::string_view name = names_.plane_name();
  type_ = name.starts_with(kGpuPlane)      ? Type::gpu
          : name.starts_with(kDevicePlane) ? Type::accelerator
                                           : Type::host;
  if (type_ == Type::host) return;
  const auto colon = name.rfind(':');
  device_ = number_behind(name.substr(colon + 1), "");
}

PlaneImport::LineHead PlaneImport::read_head(ByteView line) const {
  using xplane::Line;
  LineHead head;
  protozero::pbf_message<Line> message(as_data(line));
  while (message.next()) {
    const bool number = is_number(message), text = is_length(message);
    if (message.tag() == Line::id && number)
      head.id = message.get_int64();
    else if (message.tag() == Line::timestamp_ns && number)
      head.timestamp_ns = message.get_int64();
    else if (text && (message.tag() == Line::display_name ||
                      (message.tag() == Line::name && head.name.empty())))
      head.name = as_text(message.get_view());
    else {
      head.has_events |= message.tag() == Line::events;
      message.skip();
    }
  }
  return head;
}

// Lines that the profiler computed from others: steps, modules, name scopes.
bool PlaneImport::is_derived(const LineHead& head) const {
  if (type_ == Type::gpu) return !head.name.starts_with("Stream");
  return type_ == Type::accelerator && head.name != "XLA Ops" && head.name != "Async XLA Ops";
}

std::uint32_t PlaneImport::add_track(const LineHead& head) {
  if (type_ == Type::host)
    return part_.add_track(TrackKind::thread, static_cast<std::uint64_t>(head.id), head.name);
  const auto stream = static_cast<std::uint32_t>(head.id);
  const std::string name = type_ == Type::gpu
                               ? fmt::format("GPU {} stream {}", device_, stream)
                               : fmt::format("{} {}", names_.plane_name().substr(1), head.name);
  return part_.add_track(TrackKind::stream, std::uint64_t{device_} << 32 | stream, name);
}

Status PlaneImport::add_line(ByteView line) {
  LineHead head = read_head(line);
  if (!head.has_events) return {};
  if (is_derived(head)) {
    part_.count("derived_lines", Severity::info, 1,
                "lines of a device that the profiler computed from others were left out");
    return {};
  }
  if (head.timestamp_ns >= kEarliestDate) {
    if (!times_.first_date) times_.first_date = head.timestamp_ns;
    head.timestamp_ns -= *times_.first_date;
  }
  TrackRows rows(part_.rows(), add_track(head));
  steps_ = 0;
  twofold_ = {};
  try {
    protozero::pbf_message<xplane::Line> message(as_data(line));
    while (message.next()) {
      if (message.tag() == xplane::Line::events && is_length(message))
        add_event(as_bytes(message.get_view()), head, rows);
      else
        message.skip();
    }
  } catch (const protozero::exception&) {
    rows.finish();
    throw;
  }
  rows.finish();
  if (steps_ > most_steps_) {
    most_steps_ = steps_;
    stepping_track_ = rows.track();
  }
  if (part_.budget().exceeded()) return part_.budget().refusal();
  return {};
}

bool PlaneImport::leave_out(const PlaneEventName& name) {
  switch (name.kind.left) {
    case EventKind::Left::no:
      return false;
    case EventKind::Left::pool:
      part_.count("thread_pool_events", Severity::info, 1,
                  "notes of the framework's thread pools, without a length, were left out");
      return true;
    case EventKind::Left::memory:
      part_.count("memory_events", Severity::info, 1,
                  "allocations in the profile are not imported: there are no memory tables");
      return true;
  }
  return false;
}

void PlaneImport::add_event(ByteView bytes, const LineHead& head, TrackRows& rows) {
  using xplane::Event;
  RawEvent raw;
  protozero::data_view stats[64];
  std::size_t stat_count = 0;
  protozero::pbf_message<Event> message(as_data(bytes));
  while (message.next()) {
    if (message.tag() == Event::stats && is_length(message) && stat_count < std::size(stats)) {
      stats[stat_count++] = message.get_view();
    } else if (!is_number(message)) {
      message.skip();
    } else {
      const std::uint64_t number = message.get_uint64();
      if (message.tag() == Event::metadata_id) raw.metadata_id = number;
      if (message.tag() == Event::offset_ps) raw.offset_ps = static_cast<std::int64_t>(number);
      if (message.tag() == Event::duration_ps) raw.duration_ps = static_cast<std::int64_t>(number);
      raw.is_aggregate |= message.tag() == Event::num_occurrences;
    }
  }
  PlaneEventName& name = names_.event(raw.metadata_id);
  if (type_ == Type::host && leave_out(name)) return;
  SpanRow row;
  if (!set_times(raw, head, row)) return;
  row.kind = type_ == Type::host ? name.kind.kind : SpanKind::kernel;
  for (std::size_t i = 0; i < stat_count; ++i) add_stat(read_stat(stats[i], names_), name, row);
  if (row.kind == SpanKind::step) {
    row.name = part_.text(phase_of_marker(name.full_name));
    ++steps_;
  } else if (row.kind == SpanKind::loader && steps_ == 0) {
    part_.budget().make_room(waits_);
    if (part_.budget().exceeded()) return;
    return waits_.push_back({row.start, row.end, rows.track()});
  }
  if (row.name == 0) {
    if (name.name_id == 0)
      name.name_id = part_.text(type_ == Type::host ? name.kind.name : name.full_name);
    row.name = name.name_id;
  }
  if (name.kind.is_twofold) {
    if (row.name == twofold_.name && row.end <= twofold_.end) return;
    twofold_ = row;
  }
  if (!name.kind.op.empty() && row.kind == SpanKind::op) {
    if (name.op_id == 0) name.op_id = part_.text(name.kind.op);
    row.add(named_key(part_.text("op")), ArgType::string, name.op_id);
  }
  rows.add(row);
}

bool PlaneImport::set_times(const RawEvent& raw, const LineHead& head, SpanRow& row) {
  if (raw.is_aggregate) {
    part_.count("aggregated_events", Severity::info, 1,
                "events that only count occurrences have no time and were left out");
    return false;
  }
  std::int64_t end_ps = 0;
  const bool overflows =
      raw.duration_ps < 0 || __builtin_add_overflow(raw.offset_ps, raw.duration_ps, &end_ps) ||
      __builtin_add_overflow(head.timestamp_ns, raw.offset_ps / kPsPerNs, &row.start) ||
      __builtin_add_overflow(head.timestamp_ns, end_ps / kPsPerNs, &row.end);
  if (!overflows && row.start > -kLatest && row.end < kLatest) return true;
  part_.count("impossible_times", Severity::warning, 1,
              "events with negative or senseless times were left out");
  return false;
}

void PlaneImport::add_waits() {
  if (waits_.empty()) return;
  std::stable_sort(waits_.begin(), waits_.end(),
                   [](const Wait& a, const Wait& b) { return a.track < b.track; });
  const std::uint32_t input = part_.text("input");
  for (auto it = waits_.begin(); it != waits_.end();) {
    const std::uint32_t track = it->track;
    TrackRows rows(part_.rows(), stepping_track_.value_or(track));
    for (; it != waits_.end() && it->track == track; ++it) {
      SpanRow row;
      row.start = it->start;
      row.end = it->end;
      row.kind = SpanKind::loader;
      row.name = input;
      rows.add(row);
    }
    rows.finish();
  }
}

}  // namespace laptime
