#include "export/chrome.h"

#include <cmath>
#include <map>

#include "base/utf8.h"
#include "export/event_stream.h"
#include "export/trace_ids.h"
#include "export/trace_rows.h"
#include "format/names.h"
#include "trace/run/kind_names.h"
#include "trace/run/nesting.h"

namespace laptime {

namespace {

// Strings of the run as JSON texts, each made once.
class JsonNames {
 public:
  explicit JsonNames(const StringTable& strings) : strings_(strings), texts_(strings.size()) {}
  const std::string& operator[](std::uint32_t id) {
    std::string& text = texts_[id];
    if (text.empty()) append_json_string(text, strings_[id].empty() ? "(unnamed)" : strings_[id]);
    return text;
  }

 private:
  const StringTable& strings_;
  std::vector<std::string> texts_;
};

class ChromeWriter {
 public:
  ChromeWriter(const Run& run, Sink& sink)
      : run_(run), out_(sink), ids_(run), names_(run.strings) {}

  Result<ChromeExport> write() {
    out_.write("{{\"displayTimeUnit\": \"ns\", \"otherData\": {{\"laptime\": \"" LAPTIME_VERSION
               "\"}}, \"traceEvents\": [");
    for (std::uint32_t p = 0; p < run_.processes.size(); ++p) write_process(p);
    for (std::size_t t = 0; t < run_.tracks.size(); ++t) write_track(t);
    out_.write("\n]}}\n");
    RETURN_IF_ERROR(out_.finish());
    return done_;
  }

 private:
  // The tracks of one thread in the trace: its own, one for its steps, and those for spans that
  // cross others.
  struct TrackRows {
    std::uint64_t pid;
    std::string name;
    std::vector<std::uint64_t> tids;
    std::uint64_t steps_tid = 0;
    TraceRows trace_rows, step_rows;
  };

  void write_process(std::uint32_t p) {
    const Properties& properties = run_.processes[p].properties;
    if (properties.contains(property::kCommand))
      name_event("process_name", ids_.pid(p), 0, property_text(properties, property::kCommand));
  }

  void write_track(std::size_t t) {
    const Track& track = run_.tracks[t];
    TrackRows trace_rows{ids_.pid(track.process), track.name, {ids_.tid(t)}, 0, {}, {}};
    if (track.spans.size() > 0)
      name_event("thread_name", trace_rows.pid, trace_rows.tids[0], track.name);
    // Backwards: outer spans come before inner ones. Viewers need this if both start together.
    const std::vector<std::uint32_t> order = end_order(track.spans);
    for (std::size_t i = track.spans.size(); i-- > 0;)
      write_span(track.spans, order.empty() ? static_cast<std::uint32_t>(i) : order[i], trace_rows);
    for (std::size_t i = 0; i < track.values.size(); ++i) write_value(t, i);
  }

  // The thread id for the span, and whether the span keeps its duration there.
  std::pair<std::uint64_t, bool> place(const SpanColumns& spans, std::uint32_t row,
                                       TrackRows& trace_rows) {
    if (is_instant(spans.kind[row])) return {trace_rows.tids[0], true};
    if (!is_nested_kind(spans.kind[row])) {
      if (trace_rows.steps_tid == 0) {
        trace_rows.steps_tid = ids_.new_tid();
        name_event("thread_name", trace_rows.pid, trace_rows.steps_tid, trace_rows.name + " steps");
      }
      return {trace_rows.steps_tid,
              trace_rows.step_rows.place(spans.start[row], spans.end(row)) == std::size_t{0}};
    }
    const auto trace_row = trace_rows.trace_rows.place(spans.start[row], spans.end(row));
    if (!trace_row) return {trace_rows.tids[0], false};
    if (*trace_row == trace_rows.tids.size()) {
      trace_rows.tids.push_back(ids_.new_tid());
      name_event("thread_name", trace_rows.pid, trace_rows.tids.back(),
                 fmt::format("{} (overlapping {})", trace_rows.name, *trace_row));
    }
    done_.moved += *trace_row > 0;
    return {trace_rows.tids[*trace_row], true};
  }

  void write_span(const Spans& spans, std::uint32_t row, TrackRows& trace_rows) {
    const auto [tid, keeps_duration] = place(spans, row, trace_rows);
    const bool instant = is_instant(spans.kind[row]);
    out_.begin_event();
    out_.write("{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", instant ? "i\",\"s\":\"t" : "X",
               trace_rows.pid, tid);
    out_.write_time(spans.start[row]);
    if (!instant) {
      out_.buffer() += ",\"dur\":";
      out_.write_time(keeps_duration ? spans.duration[row] : 0);
    }
    out_.write(",\"cat\":\"{}\",\"name\":{}", kind_name(spans.kind[row]), names_[spans.name[row]]);
    write_args(spans, row);
    out_.buffer() += '}';
    ++done_.spans;
    done_.flattened += !keeps_duration;
    if (spans.link.empty()) return;
    if (spans.link[row] != 0) write_launch(spans, row, trace_rows.pid, tid);
  }

  // Writes the values of one row, separated by commas.
  class ArgWriter {
   public:
    ArgWriter(ChromeWriter& writer, std::uint32_t row) : writer_(writer), row_(row) {}
    template <typename T, typename Write>
    void column(const SideColumn<T>& column, std::string_view name, Write write) {
      if (const T* const value = column.find(row_)) {
        begin();
        writer_.out_.write("\"{}\":", name);
        write(*value);
      }
    }
    template <typename T>
    void numbers(const SideColumn<T>& values, std::string_view name) {
      column(values, name,
             [&](T value) { writer_.out_.write("{}", static_cast<std::int64_t>(value)); });
    }
    void strings(const SideColumn<std::uint32_t>& values, std::string_view name) {
      column(values, name, [&](std::uint32_t id) { writer_.out_.buffer() += writer_.names_[id]; });
    }
    void begin() {
      writer_.out_.buffer() += any_ ? "," : ",\"args\":{";
      any_ = true;
    }
    ~ArgWriter() {
      if (any_) writer_.out_.buffer() += '}';
    }

   private:
    ChromeWriter& writer_;
    std::uint32_t row_;
    bool any_ = false;
  };

  void write_args(const Spans& spans, std::uint32_t row) {
    ArgWriter args(*this, row);
    args.column(spans.call_site, "line",
                [&](std::uint32_t call_site) { write_call_site(run_.call_sites[call_site]); });
    args.column(spans.launch_config, "grid;block;registers;static shared;dynamic shared",
                [&](std::uint32_t id) { write_launch_config(*run_.launch_configs.find(id)); });
    args.numbers(spans.autograd, "autograd");
    args.numbers(spans.bytes, "bytes");
    args.strings(spans.device, "device");
    args.numbers(spans.graph_node, "graph_node");
    args.strings(spans.shapes, "shapes");
    args.strings(spans.types, "types");
    args.numbers(spans.flops, "flops");
    args.numbers(spans.ops, "ops");
    args.numbers(spans.samples, "samples");
    write_named_args(spans.args, row, args);
  }
  void write_named_args(const ArgColumns& args, std::uint32_t row, ArgWriter& out) {
    const auto [first, last] = std::equal_range(args.row.begin(), args.row.end(), row);
    for (auto it = first; it != last; ++it) {
      const auto i = static_cast<std::size_t>(it - args.row.begin());
      out.begin();
      out_.write("{}:", names_[string_of(args.key[i])]);
      write_arg(args.type[i], args.value[i]);
    }
  }
  void write_launch_config(const LaunchConfig& config) {
    const auto& [grid, block, registers, fixed, dynamic] = config;
    out_.write("\"{},{},{};{},{},{};{};{};{}\"", grid[0], grid[1], grid[2], block[0], block[1],
               block[2], registers, fixed, dynamic);
  }
  void write_arg(ArgType type, std::uint64_t value) {
    if (type == ArgType::string)
      out_.buffer() += names_[static_cast<std::uint32_t>(value)];
    else if (type == ArgType::call_site)
      write_call_site(run_.call_sites[value < run_.call_sites.size() ? value : 0]);
    else
      out_.write("{}", static_cast<std::int64_t>(value));
  }

  void write_call_site(const CallSite& call_site) {
    if (call_site.code == 0 || call_site.code >= run_.codes.size()) {
      out_.buffer() += "null";
      return;
    }
    const std::string_view file = run_.strings[run_.codes[call_site.code].file];
    append_json_string(out_.buffer(), fmt::format("{}:{}", file, call_site.line));
    if (call_site.module != 0) out_.write(",\"module\":{}", names_[call_site.module]);
  }

  // An arrow from a call that gave a GPU work to that work. Numbers of launches are too large for
  // JavaScript's.
  void write_launch(const SpanColumns& spans, std::uint32_t row, std::uint64_t pid,
                    std::uint64_t tid) {
    const SpanKind kind = spans.kind[row];
    const bool is_start =
        kind == SpanKind::launch && spans.duration[row] > 0;  // else the node of a graph
    if (!is_start && kind != SpanKind::kernel && kind != SpanKind::copy && kind != SpanKind::fill)
      return;
    out_.begin_event();
    out_.write("{{\"ph\":\"{}\",\"id\":\"{:x}\",\"pid\":{},\"tid\":{},\"ts\":",
               is_start ? "s" : "f", spans.link[row], pid, tid);
    out_.write_time(spans.start[row]);
    out_.write(",\"cat\":\"launch\",\"name\":\"launch\"{}}}", is_start ? "" : ",\"bp\":\"e\"");
    done_.flows += is_start;
  }

  void write_value(std::size_t t, std::size_t i) {
    const ValueColumns& values = run_.tracks[t].values;
    if (!std::isfinite(values.value[i])) {
      ++done_.not_finite_values;
      return;
    }
    out_.begin_event();
    // Counters belong to processes. The id separates those of several threads.
    out_.write("{{\"ph\":\"C\",\"pid\":{},\"tid\":{},\"id\":{},\"ts\":",
               ids_.pid(run_.tracks[t].process), ids_.tid(t), ids_.tid(t));
    out_.write_time(values.time[i]);
    out_.write(",\"name\":{},\"args\":{{\"value\":{}}}}}", names_[values.name[i]], values.value[i]);
    ++done_.values;
  }

  void name_event(const char* what, std::uint64_t pid, std::uint64_t tid, std::string_view name) {
    out_.begin_event();
    out_.write("{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"name\":", pid,
               tid, what);
    append_json_string(out_.buffer(), name);
    out_.buffer() += "}}";
  }

  const Run& run_;
  EventStream out_;
  TraceIds ids_;
  JsonNames names_;
  ChromeExport done_;
};

}  // namespace

Result<ChromeExport> export_chrome(const Run& run, Sink& sink) {
  return ChromeWriter(run, sink).write();
}

}  // namespace laptime
