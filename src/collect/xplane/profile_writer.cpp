#include "collect/xplane/profile_writer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "collect/xplane/line_thread.h"
#include "format/names.h"
#include "record/collector.h"

namespace laptime {

namespace {

void warn_damaged() {
  record::warn(record::warning_index(
      "xplane_damaged", Severity::warning,
      "a profile of the framework's own profiler was damaged: ops of some steps are missing"));
}

// The spans of one line, on the track of its thread or stream.
class LineWriter {
 public:
  // `zero`: of the line, in ns after the session's begin. `length`: of the session. `stream`: the
  // track, 0 for a thread.
  LineWriter(const ProfileSpans::Line& line, std::uint16_t stream, const TickLine& clock,
             std::int64_t zero, std::int64_t length, const SortedOpCalls& calls)
      : clock_(clock), calls_(calls), zero_(zero), length_(length), stream_(stream) {
    if (line.type != PlaneType::host) return;
    thread_id_ = thread_of_line(line.id);
    thread_ = record::open_thread(thread_id_, line.name);
  }
  LineWriter(const LineWriter&) = delete;
  ~LineWriter() { record::close_thread(thread_); }

  // The origin of an op without a full name.
  OpOrigin origin_of_call(const SpanRow& row) const {
    if (thread_id_ == 0 || row.kind != SpanKind::op) return {};
    const OpCall* const call = calls_.find(thread_id_, clock_.after(row.start + zero_));
    return call ? call->origin : OpOrigin{};
  }

  // `pipeline`: a text, the input pipeline that ran it. 0: none.
  bool put(const SpanRow& row, const OpOrigin& origin, std::uint32_t pipeline) {
    std::int64_t start = row.start + zero_, end = row.end + zero_;
    if ((!thread_ && stream_ == 0) || end < 0 || start > length_) return false;
    start = std::max<std::int64_t>(start, 0);
    end = std::min(end, length_);
    record::Span span{.start = clock_.after(start),
                      .end = clock_.after(end),
                      .name = row.name,
                      .kind = origin.is_backward ? SpanKind::backward : row.kind,
                      .track = stream_,
                      .link = row.link};
    std::array<record::Arg, SpanRow::kMaxArgs + 2> args;
    std::uint32_t count = 0;
    for (; count < row.arg_count; ++count)
      args[count] = {row.args[count].key, row.args[count].type, row.args[count].value};
    if (origin.call_site != 0)
      args[count++] = {ArgKey::call_site, ArgType::call_site, origin.call_site};
    if (pipeline != 0) args[count++] = {pipeline_key_, ArgType::string, pipeline};
    if (thread_)
      record::put_span_of(thread_, span, args.data(), count);
    else
      record::put_span(span, args.data(), count);
    return true;
  }

 private:
  const TickLine& clock_;
  const SortedOpCalls& calls_;
  const std::int64_t zero_, length_;
  const ArgKey pipeline_key_ = named_key(record::intern(arg_name::kPipeline));
  std::uint64_t thread_id_ = 0;
  record::Cursor* thread_ = nullptr;
  const std::uint16_t stream_;
};

}  // namespace

std::uint16_t ProfileWriter::stream_of(const ProfileSpans::Line& line) {
  if (line.type == PlaneType::host) return 0;
  const std::uint64_t id = std::uint64_t{line.device} << 32 | static_cast<std::uint32_t>(line.id);
  const auto [at, is_new] = streams_.try_emplace(id, 0);
  if (is_new) {
    const std::string device = line.type == PlaneType::gpu ? "GPU " : "device ";
    at->second = record::add_track(
        TrackKind::stream, id,
        device + std::to_string(line.device) + " stream " + std::to_string(line.id));
  }
  return at->second;
}

void ProfileWriter::resolve_new(const ProfileSpans& spans) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> unknown;  // ops by function
  for (const ProfileSpans::Line& line : spans.lines())
    for (const ProfileSpans::Span& span : line.spans) {
      if (span.op == 0) continue;
      const Key key{spans.function_of(span), span.op};
      if (origins_.try_emplace(key).second) unknown[key.first].push_back(key.second);
    }
  for (const auto& [function, ops] : unknown) {
    std::vector<std::string_view> names;
    std::transform(ops.begin(), ops.end(), std::back_inserter(names),
                   [](std::uint32_t op) { return std::string_view(record::name_text(op)); });
    const std::vector<Origin> answers =
        resolve_(function == 0 ? "" : record::name_text(function), names);
    for (std::size_t i = 0; i < std::min(answers.size(), ops.size()); ++i)
      origins_[{function, ops[i]}] = answers[i];
  }
}

ProfileWriter::Origin ProfileWriter::origin_of(const ProfileSpans& spans,
                                               const ProfileSpans::Span& span) const {
  const auto found = origins_.find({spans.function_of(span), span.op});
  return found == origins_.end() ? Origin{} : found->second;
}

std::uint64_t ProfileWriter::put(ByteView space, TickLine::Moment from, TickLine::Moment to,
                                 const SortedOpCalls& calls) {
  if (!record::on() || to.realtime_ns < from.realtime_ns) return 0;
  if (std::exchange(epoch_, record::epoch()) != record::epoch()) {
    origins_.clear();
    streams_.clear();
  }
  ProfileSpans spans(filter_, static_cast<std::int64_t>(from.realtime_ns));
  if (!spans.read(space)) warn_damaged();
  resolve_new(spans);
  const TickLine clock(from, to);
  const auto length = static_cast<std::int64_t>(to.realtime_ns - from.realtime_ns);
  std::uint64_t count = 0;
  for (const ProfileSpans::Line& line : spans.lines()) {
    if (line.spans.empty()) continue;
    LineWriter writer(line, stream_of(line), clock, spans.zero_of(line), length, calls);
    for (const ProfileSpans::Span& span : line.spans)
      count += writer.put(span.row,
                          span.op == 0 ? writer.origin_of_call(span.row) : origin_of(spans, span),
                          spans.is_of_pipeline(span) ? spans.input_function() : 0);
  }
  return count;
}

}  // namespace laptime
