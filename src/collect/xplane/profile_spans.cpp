#include "collect/xplane/profile_spans.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>

#include "record/collector.h"
#include "xplane/event_kind.h"
#include "xplane/fields.h"
#include "xplane/protobuf_views.h"

namespace laptime {

namespace {

constexpr std::uint64_t kMostMemoryOfNames = std::uint64_t{256} << 20;

// Begins the scopes in which tf.data runs a function that the program gave to a stage.
constexpr std::string_view kInputFunction = "InstantiatedCapturedFunction::";

// An op whose time is the wait for a batch.
bool is_request(const PlaneSpan& span) {
  return span.name.kind.name.starts_with("IteratorGetNext");
}

bool is_op(SpanKind kind) { return kind == SpanKind::op || kind == SpanKind::backward; }

}  // namespace

ProfileSpans::ProfileSpans(Filter filter, std::int64_t begin)
    : filter_(filter),
      begin_(begin),
      op_key_(named_key(record::intern("op"))),
      module_key_(named_key(record::intern("hlo_module"))),
      input_function_(record::intern("tf.data")) {}

bool ProfileSpans::read(ByteView space) {
  try {
    protozero::pbf_message<xplane::Space> message(as_data(space));
    while (message.next()) {
      if (message.tag() == xplane::Space::planes && is_length(message))
        read_plane(as_bytes(message.get_view()));
      else
        message.skip();
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

void ProfileSpans::read_plane(ByteView plane) {
  PlaneReader reader(plane, *this);
  reader_ = &reader;
  if (reader.read_names(kMostMemoryOfNames)) reader.run(*this);
}

std::optional<std::int64_t> ProfileSpans::begin_line(const LineHead& head) {
  const bool from_1970 = head.timestamp_ns >= kEarliestDate;
  lines_.push_back({reader_->type(),
                    reader_->device(),
                    static_cast<std::uint64_t>(head.id),
                    head.name.substr(0, head.name.find('/')),
                    from_1970,
                    {}});
  open_.clear();
  return from_1970 ? head.timestamp_ns - begin_ : head.timestamp_ns;
}

void ProfileSpans::add_plane_stat(const StatValue& value) {
  if (value.role() == StatRole::profile_start_time &&
      value.number < static_cast<std::uint64_t>(INT64_MAX))
    start_ = static_cast<std::int64_t>(value.number);
}

// A function's call runs it under a number, which its ops' scopes on all threads have.
void ProfileSpans::follow_runs(const PlaneSpan& span) {
  while (!open_.empty() && open_.back().end <= span.row.start) open_.pop_back();
  if (span.run_id != 0 && span.name.full_name.starts_with(kInputFunction))
    input_runs_.insert(span.run_id);
  const std::string_view function = called_function(span.name.full_name);
  if (!function.empty()) {
    open_.push_back({span.row.end, 0, record::intern(function)});
  } else if (span.run_id != 0 && span.row.kind == SpanKind::scope) {
    if (!open_.empty() && open_.back().function != 0)
      functions_[span.run_id] = open_.back().function;
    else
      open_.push_back({span.row.end, span.run_id, 0});
  }
}

bool ProfileSpans::is_wanted(const PlaneSpan& span) const {
  switch (span.row.kind) {
    case SpanKind::scope:
      return !span.name.kind.is_runtime;
    case SpanKind::step:
    case SpanKind::function:
      return false;
    case SpanKind::loader:
      return !filter_.input_hooked;
    case SpanKind::op:
      return !span.repeats && !(filter_.input_hooked && is_request(span));
    case SpanKind::dispatch:
      return !filter_.dispatch_hooked && !span.repeats;
    default:
      return !span.repeats;
  }
}

void ProfileSpans::add_origin(Span& span) const {
  for (std::size_t i = 0; i < span.row.arg_count; ++i) {
    const SpanRow::Arg& arg = span.row.args[i];
    if (arg.key == op_key_) span.op = static_cast<std::uint32_t>(arg.value);
    if (arg.key == module_key_) span.function = static_cast<std::uint32_t>(arg.value);
  }
  if (span.function != 0 || open_.empty()) return;
  span.function = open_.back().function;
  span.run = open_.back().run;
}

void ProfileSpans::add(const PlaneSpan& span) {
  if (reader_->type() == PlaneType::host) follow_runs(span);
  if (!is_wanted(span)) return;
  Span& added = lines_.back().spans.emplace_back();
  added.row = span.row;
  if (is_op(span.row.kind)) add_origin(added);
}

std::uint32_t ProfileSpans::function_of(const Span& span) const {
  if (span.function != 0 || span.run == 0) return span.function;
  if (is_of_pipeline(span)) return input_function_;
  const auto found = functions_.find(span.run);
  return found == functions_.end() ? 0 : found->second;
}

bool ProfileSpans::is_of_pipeline(const Span& span) const {
  return span.run != 0 && input_runs_.contains(span.run);
}

std::uint32_t ProfileSpans::text(std::string_view text) {
  return text.empty() ? 0 : record::intern(text);
}
std::uint32_t ProfileSpans::launch_config(const LaunchConfig& config) {
  return record::add_launch_config(config);
}
std::uint32_t ProfileSpans::device(Device device) { return record::add_device(device); }

}  // namespace laptime
