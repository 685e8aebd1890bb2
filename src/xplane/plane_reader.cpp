#include "xplane/plane_reader.h"

#include <charconv>
#include <iterator>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>

#include "xplane/fields.h"
#include "xplane/protobuf_views.h"

namespace laptime {

namespace {

constexpr std::int64_t kPsPerNs = 1000;
constexpr std::int64_t kLatest = std::int64_t{1} << 58;  // readers refuse later times
constexpr std::string_view kGpuPlane = "/device:GPU:", kDevicePlane = "/device:";

LineHead read_head(ByteView line) {
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

}  // namespace

struct PlaneReader::RawEvent {
  std::uint64_t metadata_id = 0;
  std::int64_t offset_ps = 0, duration_ps = 0;
  bool is_aggregate = false;  // counts occurrences, has no time
};

bool PlaneReader::read_names(std::uint64_t memory) {
  const bool fits = names_.read(plane_, memory);
  const std::string_view plane = name();
  type_ = plane.starts_with(kGpuPlane)      ? PlaneType::gpu
          : plane.starts_with(kDevicePlane) ? PlaneType::accelerator
                                            : PlaneType::host;
  decoder_.set_type(type_);
  if (type_ != PlaneType::host)
    std::from_chars(plane.data() + plane.rfind(':') + 1, plane.data() + plane.size(), device_);
  return fits;
}

void PlaneReader::run(PlaneVisitor& visitor) {
  protozero::pbf_message<xplane::Plane> plane(as_data(plane_));
  while (plane.next()) {
    if (plane.tag() == xplane::Plane::lines && is_length(plane)) {
      if (!read_line(as_bytes(plane.get_view()), visitor)) return;
    } else if (plane.tag() == xplane::Plane::stats && is_length(plane)) {
      visitor.add_plane_stat(read_stat(plane.get_view(), names_));
    } else {
      plane.skip();
    }
  }
}

// Lines that the profiler computed from others: steps, modules, name scopes.
bool PlaneReader::is_derived(const LineHead& head) const {
  if (type_ == PlaneType::gpu) return !head.name.starts_with("Stream");
  return type_ == PlaneType::accelerator && head.name != "XLA Ops" && head.name != "Async XLA Ops";
}

bool PlaneReader::read_line(ByteView line, PlaneVisitor& visitor) {
  const LineHead head = read_head(line);
  if (!head.has_events) return true;
  if (is_derived(head)) {
    visitor.leave_out(PlaneVisitor::LeftOut::derived_line);
    return true;
  }
  const auto zero = visitor.begin_line(head);
  if (!zero) return true;
  twofold_ = {};
  try {
    protozero::pbf_message<xplane::Line> message(as_data(line));
    while (message.next()) {
      if (message.tag() == xplane::Line::events && is_length(message))
        read_event(as_bytes(message.get_view()), *zero, visitor);
      else
        message.skip();
    }
  } catch (const protozero::exception&) {
    visitor.end_line();
    throw;
  }
  return visitor.end_line();
}

void PlaneReader::read_event(ByteView bytes, std::int64_t zero, PlaneVisitor& visitor) {
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
  if (type_ == PlaneType::host && name.kind.is_pool_note)
    return visitor.leave_out(PlaneVisitor::LeftOut::pool_note);
  SpanRow row;
  if (!set_times(raw, zero, row, visitor)) return;
  decoder_.begin(name, row);
  for (std::size_t i = 0; i < stat_count; ++i) decoder_.add_stat(stats[i], row);
  decoder_.finish(row);
  bool repeats = false;
  if (type_ == PlaneType::host && decoder_.is_twofold()) {
    repeats = row.name == twofold_.name && row.end <= twofold_.end;
    if (!repeats) twofold_ = row;
  }
  visitor.add({row, name, decoder_.run_id(), repeats});
}

bool PlaneReader::set_times(const RawEvent& raw, std::int64_t zero, SpanRow& row,
                            PlaneVisitor& visitor) const {
  if (raw.is_aggregate) {
    visitor.leave_out(PlaneVisitor::LeftOut::aggregate);
    return false;
  }
  std::int64_t end_ps = 0;
  const bool overflows = raw.duration_ps < 0 ||
                         __builtin_add_overflow(raw.offset_ps, raw.duration_ps, &end_ps) ||
                         __builtin_add_overflow(zero, raw.offset_ps / kPsPerNs, &row.start) ||
                         __builtin_add_overflow(zero, end_ps / kPsPerNs, &row.end);
  if (!overflows && row.start > -kLatest && row.end < kLatest) return true;
  visitor.leave_out(PlaneVisitor::LeftOut::impossible_time);
  return false;
}

}  // namespace laptime
