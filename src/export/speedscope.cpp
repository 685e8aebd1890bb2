#include "export/speedscope.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "export/text_stream.h"
#include "export/trace_rows.h"
#include "tables/code/calltree.h"
#include "tables/run/thread_label.h"
#include "trace/run/nesting.h"

namespace laptime {

namespace {

using SpanRows = std::vector<std::uint32_t>;

// A profile of events: nested spans of one thread.
struct EventProfile {
  const Track* track;
  std::string name;
  SpanRows rows;  // by start, outer before inner
};

// Frames are the span names, then the functions of the call tree.
class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Run& run, Sink& sink)
      : run_(run), out_(sink), graph_(build_call_graph(run)), tree_(build_call_tree(graph_)) {}

  Result<SpeedscopeExport> write() {
    for (const Track& track : run_.tracks) spread(track);
    done_.profiles = profiles_.size() + !tree_.empty();
    if (done_.profiles == 0)
      return fail(ErrorKind::usage, run_.path + " has neither spans nor function calls to export");
    out_.write(
        "{{\"$schema\":\"https://www.speedscope.app/"
        "file-format-schema.json\",\"exporter\":\"laptime " LAPTIME_VERSION "\",\"name\":");
    append_json_string(out_.buffer(), run_.path.substr(run_.path.rfind('/') + 1));
    out_.write(",\"activeProfileIndex\":0,\"shared\":{{\"frames\":[");
    write_frames();
    out_.write("]}},\"profiles\":[");
    for (const EventProfile& profile : profiles_) write_events(profile);
    if (!tree_.empty()) write_tree();
    out_.write("]}}\n");
    RETURN_IF_ERROR(out_.finish());
    return done_;
  }

 private:
  void spread(const Track& track);
  void write_frames();
  void write_name_frames();
  void write_function_frames();
  void begin_profile(const char* type, std::string_view name, std::int64_t start, std::int64_t end);
  void write_events(const EventProfile& profile);
  void write_event(char type, std::uint32_t frame, std::int64_t at);
  void write_tree();
  void write_stack(std::uint32_t node);
  // Writes a comma except before a list's first item.
  void next_item() {
    out_.flush_if_full();
    if (!first_) out_.buffer() += ',';
    first_ = false;
  }

  const Run& run_;
  TextStream out_;
  CallGraph graph_;
  std::vector<CallNode> tree_;
  std::vector<EventProfile> profiles_;
  std::vector<std::uint32_t> frames_;  // by Run::strings: the frame, once used
  std::uint32_t first_node_frame_ = 0;
  bool first_ = true, first_profile_ = true;
  SpeedscopeExport done_;
};

void SpeedscopeWriter::spread(const Track& track) {
  const SpanColumns& spans = track.spans;
  const std::vector<std::uint32_t> order = end_order(spans);
  TraceRows trace_rows;
  std::vector<SpanRows> rows;
  for (std::size_t i = spans.size(); i-- > 0;) {
    const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
    if (!is_nested_kind(spans.kind[row])) continue;
    const auto trace_row = trace_rows.place(spans.start[row], spans.end(row));
    if (!trace_row) {
      ++done_.left_out;
      continue;
    }
    if (*trace_row == rows.size()) rows.emplace_back();
    rows[*trace_row].push_back(row);
    ++done_.spans;
  }
  const std::string label = thread_label(run_, track);
  for (std::size_t trace_row = 0; trace_row < rows.size(); ++trace_row) {
    std::stable_sort(rows[trace_row].begin(), rows[trace_row].end(),
                     [&](auto a, auto b) { return spans.start[a] < spans.start[b]; });
    profiles_.push_back(
        {&track, trace_row == 0 ? label : fmt::format("{} (overlapping {})", label, trace_row),
         std::move(rows[trace_row])});
  }
}

void SpeedscopeWriter::write_frames() {
  first_ = true;
  write_name_frames();
  write_function_frames();
}

void SpeedscopeWriter::write_name_frames() {
  constexpr std::uint32_t kUnused = ~0u;
  frames_.assign(run_.strings.size(), kUnused);
  for (const EventProfile& profile : profiles_)
    for (const std::uint32_t row : profile.rows) {
      std::uint32_t& frame = frames_[profile.track->spans.name[row]];
      if (frame != kUnused) continue;
      frame = first_node_frame_++;
      const std::string_view name = run_.strings[profile.track->spans.name[row]];
      next_item();
      out_.buffer() += "{\"name\":";
      append_json_string(out_.buffer(), name.empty() ? "(unnamed)" : name);
      out_.buffer() += '}';
    }
}

// One frame for each function, and one for all nodes of left-out functions.
void SpeedscopeWriter::write_function_frames() {
  if (tree_.empty()) return;
  for (const Function& function : graph_.functions) {
    const Code& code = run_.codes[function.code];
    next_item();
    out_.buffer() += "{\"name\":";
    append_json_string(out_.buffer(), run_.strings[code.name]);
    if (!(code.flags & kCodeBuiltin)) {
      out_.buffer() += ",\"file\":";
      append_json_string(out_.buffer(), run_.strings[code.file]);
      out_.write(",\"line\":{}", code.first_line);
    }
    out_.buffer() += '}';
  }
  next_item();
  out_.buffer() += "{\"name\":\"(left out)\"}";
}

void SpeedscopeWriter::begin_profile(const char* type, std::string_view name, std::int64_t start,
                                     std::int64_t end) {
  out_.buffer() += first_profile_ ? "\n" : ",\n";
  first_profile_ = false;
  out_.write("{{\"type\":\"{}\",\"name\":", type);
  append_json_string(out_.buffer(), name);
  out_.write(",\"unit\":\"nanoseconds\",\"startValue\":{},\"endValue\":{}", start, end);
  first_ = true;
}

void SpeedscopeWriter::write_event(char type, std::uint32_t frame, std::int64_t at) {
  next_item();
  out_.write("{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}", type, frame, at);
}

void SpeedscopeWriter::write_events(const EventProfile& profile) {
  const SpanColumns& spans = profile.track->spans;
  std::int64_t end = INT64_MIN;
  for (const std::uint32_t row : profile.rows) end = std::max(end, spans.end(row));
  begin_profile("evented", profile.name, spans.start[profile.rows.front()], end);
  out_.buffer() += ",\"events\":[";
  std::vector<std::uint32_t> open;
  const auto close_until = [&](std::int64_t time) {
    for (; !open.empty() && spans.end(open.back()) <= time; open.pop_back())
      write_event('C', frames_[spans.name[open.back()]], spans.end(open.back()));
  };
  for (const std::uint32_t row : profile.rows) {
    close_until(spans.start[row]);
    write_event('O', frames_[spans.name[row]], spans.start[row]);
    open.push_back(row);
  }
  close_until(INT64_MAX);
  out_.buffer() += "]}";
}

void SpeedscopeWriter::write_stack(std::uint32_t node) {
  std::vector<std::uint32_t> path;
  for (; node != kNoNode; node = tree_[node].parent) path.push_back(node);
  next_item();
  out_.buffer() += '[';
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    const std::uint32_t function = tree_[*it].function;
    const auto frame = function == kNoNode ? graph_.functions.size() : function;
    out_.write("{}{}", it == path.rbegin() ? "" : ",", first_node_frame_ + frame);
  }
  out_.buffer() += ']';
}

void SpeedscopeWriter::write_tree() {
  std::vector<std::int64_t> weights;
  std::int64_t total = 0;
  for (const CallNode& node : tree_) {
    weights.push_back(std::llround(node.self_ns));
    total += weights.back();
  }
  begin_profile("sampled", "functions", 0, total);
  out_.buffer() += ",\"samples\":[";
  for (std::uint32_t i = 0; i < tree_.size(); ++i)
    if (weights[i] > 0) write_stack(i);
  out_.buffer() += "],\"weights\":[";
  first_ = true;
  for (const std::int64_t weight : weights) {
    if (weight <= 0) continue;
    next_item();
    out_.write("{}", weight);
  }
  out_.buffer() += "]}";
}

}  // namespace

Result<SpeedscopeExport> export_speedscope(const Run& run, Sink& sink) {
  return SpeedscopeWriter(run, sink).write();
}

}  // namespace laptime
