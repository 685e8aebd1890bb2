#include "import/xplane/plane_import.h"

#include <fmt/format.h>
#include <algorithm>
#include <string>

#include "format/names.h"

namespace laptime {

Status PlaneImport::run() {
  RETURN_IF_ERROR(read_names());
  reader_.run(*this);
  if (reader_.type() == PlaneType::gpu && major_ != 0) add_capability();
  add_waits();
  if (part_.budget().exceeded()) return part_.budget().refusal();
  return {};
}

Status PlaneImport::read_names() {
  const bool fits = reader_.read_names(part_.budget().left());
  const std::uint64_t memory = reader_.memory();
  if (!part_.budget().take(memory) || !fits) return part_.budget().refusal();
  counted_ = memory;
  return {};
}

void PlaneImport::add_capability() {
  const Device device{DeviceKind::cuda, reader_.device()};
  part_.set_device_property(device, device_property::kComputeMajor,
                            static_cast<std::int64_t>(major_));
  part_.set_device_property(device, device_property::kComputeMinor,
                            static_cast<std::int64_t>(minor_));
}

std::uint32_t PlaneImport::add_track(const LineHead& head) {
  if (reader_.type() == PlaneType::host)
    return part_.add_track(TrackKind::thread, static_cast<std::uint64_t>(head.id), head.name);
  const auto stream = static_cast<std::uint32_t>(head.id);
  const std::string name = reader_.type() == PlaneType::gpu
                               ? fmt::format("GPU {} stream {}", reader_.device(), stream)
                               : fmt::format("{} {}", reader_.name().substr(1), head.name);
  return part_.add_track(TrackKind::stream, std::uint64_t{reader_.device()} << 32 | stream, name);
}

std::optional<std::int64_t> PlaneImport::begin_line(const LineHead& head) {
  std::int64_t zero = head.timestamp_ns;
  if (zero >= kEarliestDate) {
    if (!times_.first_date) times_.first_date = zero;
    zero -= *times_.first_date;
  }
  rows_.emplace(part_.rows(), add_track(head));
  steps_ = 0;
  return zero;
}

void PlaneImport::add(const PlaneSpan& span) {
  if (span.repeats) return;
  const SpanRow& row = span.row;
  if (row.kind == SpanKind::step) {
    ++steps_;
  } else if (row.kind == SpanKind::loader && steps_ == 0) {
    part_.budget().make_room(waits_);
    if (part_.budget().exceeded()) return;
    return waits_.push_back({row.start, row.end, rows_->track()});
  }
  rows_->add(row);
}

bool PlaneImport::end_line() {
  rows_->finish();
  if (steps_ > most_steps_) {
    most_steps_ = steps_;
    stepping_track_ = rows_->track();
  }
  return !part_.budget().exceeded();
}

void PlaneImport::leave_out(LeftOut what) {
  switch (what) {
    case LeftOut::pool_note:
      return part_.count("thread_pool_events", Severity::info, 1,
                         "notes of the framework's thread pools, without a length, were left out");
    case LeftOut::derived_line:
      return part_.count("derived_lines", Severity::info, 1,
                         "lines of a device that the profiler computed from others were left out");
    case LeftOut::aggregate:
      return part_.count("aggregated_events", Severity::info, 1,
                         "events that only count occurrences have no time and were left out");
    case LeftOut::impossible_time:
      return part_.count("impossible_times", Severity::warning, 1,
                         "events with negative or senseless times were left out");
  }
}

void PlaneImport::add_plane_stat(const StatValue& value) {
  switch (value.role()) {
    case StatRole::process_id:
      part_.set_property(property::kPid, static_cast<std::int64_t>(value.number));
      break;
    case StatRole::profile_start_time:
      if (value.number < static_cast<std::uint64_t>(INT64_MAX))
        times_.profile_start = static_cast<std::int64_t>(value.number);
      break;
    case StatRole::device_name:
      if (reader_.type() == PlaneType::gpu)
        part_.set_device_property({DeviceKind::cuda, reader_.device()}, device_property::kName,
                                  value.text);
      break;
    case StatRole::compute_major:
      major_ = value.number;
      break;
    case StatRole::compute_minor:
      minor_ = value.number;
      break;
    default:
      break;
  }
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
