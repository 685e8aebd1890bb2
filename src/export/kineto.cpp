#include "export/kineto.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/utf8.h"
#include "export/event_stream.h"
#include "export/module_rows.h"
#include "trace/ops/call_site_stacks.h"

namespace laptime {

namespace {

const char* category(const TorchEvent& event) {
  switch (event.kind) {
    case SpanKind::annotation:
      return "user_annotation";
    case SpanKind::launch:
    case SpanKind::sync:
      return "cuda_runtime";
    case SpanKind::copy:
      return "gpu_memcpy";
    case SpanKind::fill:
      return "gpu_memset";
    case SpanKind::kernel:
      return "kernel";
    default:
      return "cpu_op";
  }
}

// The system's number of a stream is device × 2³² + stream.
std::uint64_t device_of(const Track& stream) { return stream.os_id >> 32; }
std::uint64_t stream_of(const Track& stream) { return stream.os_id & 0xFFFF'FFFFu; }

class KinetoWriter {
 public:
  KinetoWriter(const Run& run, const TorchEvents& events, const KinetoOptions& options, Sink& sink)
      : run_(run), events_(events.events), memory_(events.memory), options_(options), out_(sink) {
    pid_ = events.process < run.processes.size() ? run.processes[events.process].pid : 0;
    const std::int64_t begin = run.start_realtime_ns + events.begin_ns;
    base_ns_ = begin / kSecond * kSecond;
    shift_ns_ = begin - base_ns_;
    duration_ns_ = events.duration_ns;
    numbered_by_torch_ = std::any_of(events_.begin(), events_.end(),
                                     [](const TorchEvent& event) { return event.id != 0; });
  }

  Status write() {
    write_head();
    write_names();
    for (std::uint32_t row = 0; row < events_.size(); ++row)
      if (!events_[row].is_memory()) write_event(row);
    if (options_.stacks || options_.modules) write_modules();
    write_memory();
    write_flows();
    write_tail();
    return out_.finish();
  }

 private:
  static constexpr std::string_view kHierarchy = "\"Module Hierarchy\"";
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr int kSpansCallSite = 536'870'912;  // Kineto's: below the CPU's processes
  static constexpr std::uint64_t kDevicesLast =
      5'000'000;  // below all processes, as Kineto sorts them

  void write_head() {
    out_.write("{{\n  \"schemaVersion\": 1,\n");
    for (const auto& [key, value] : options_.metadata) {
      out_.buffer() += "  ";
      append_json_string(out_.buffer(), key);
      out_.write(": {},\n", value);
    }
    out_.write(
        "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {},\n  \"traceEvents\": [",
        base_ns_);
  }

  void write_names() {
    name_process(pid_, "CPU", pid_);
    std::set<std::uint64_t> devices;
    for (const TorchEvent& event : events_)
      if (event.on_device) devices.insert(device_of(run_.tracks[event.track]));
    for (const std::uint64_t device : devices)
      name_process(device, fmt::format("GPU {}", device), kDevicesLast + device);
    std::vector<bool> named(run_.tracks.size());
    for (const TorchEvent& event : events_) {
      if (named[event.track]) continue;
      named[event.track] = true;
      out_.begin_event();
      out_.write("{{\"ph\": \"M\", \"name\": \"thread_name\", ");
      write_thread(event);
      write_time("ts", shift_ns_);
      out_.buffer() += ", \"args\": {\"name\": ";
      append_json_string(out_.buffer(), run_.tracks[event.track].name);
      out_.buffer() += "}}";
    }
  }

  void name_process(std::uint64_t pid, std::string_view label, std::uint64_t order) {
    describe_process(pid, "process_name", "name", "\"python\"");
    describe_process(pid, "process_labels", "labels", fmt::format("\"{}\"", label));
    describe_process(pid, "process_sort_index", "sort_index", std::to_string(order));
  }
  void describe_process(std::uint64_t pid, const char* what, const char* key,
                        const std::string& value) {
    out_.begin_event();
    out_.write("{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": 0", what, pid);
    write_time("ts", shift_ns_);
    out_.write(", \"args\": {{\"{}\": {}}}}}", key, value);
  }

  void write_thread(const TorchEvent& event) {
    const Track& track = run_.tracks[event.track];
    if (event.on_device)
      out_.write("\"pid\": {}, \"tid\": {}", device_of(track), stream_of(track));
    else
      out_.write("\"pid\": {}, \"tid\": {}", pid_, track.os_id);
  }

  void write_time(const char* key, std::int64_t ns) {
    out_.write(", \"{}\": ", key);
    out_.write_time(ns);
  }

  void write_event(std::uint32_t row) {
    const TorchEvent& event = events_[row];
    out_.begin_event();
    out_.write("{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": ", category(event));
    append_json_string(out_.buffer(), event_name(event, run_));
    out_.buffer() += ", ";
    write_thread(event);
    write_time("ts", event.start_ns + shift_ns_);
    write_time("dur", event.duration_ns);
    out_.write(", \"args\": {{\"External id\": {}", row + 1);
    event.is_operation() ? write_op_args(event, row) : write_device_args(event);
    out_.write(", \"Ev Idx\": {}}}}}", row);
  }

  void write_device_args(const TorchEvent& event) {
    if (event.link != 0) out_.write(", \"correlation\": {}", correlation(event.link));
    if (!event.on_device) return;
    const Track& track = run_.tracks[event.track];
    out_.write(", \"device\": {}, \"context\": 1, \"stream\": {}", device_of(track),
               stream_of(track));
    if (const LaunchConfig* const config = run_.launch_configs.find(event.launch_config))
      write_launch_config(*config);
    if (event.moved_bytes != 0) out_.write(", \"bytes\": {}", event.moved_bytes);
    if (event.moved_bytes != 0 && event.duration_ns > 0)
      out_.write(", \"memory bandwidth (GB/s)\": {:.6g}",
                 static_cast<double>(event.moved_bytes) / static_cast<double>(event.duration_ns));
  }

  void write_launch_config(const LaunchConfig& config) {
    const auto& [grid, block, registers, fixed, dynamic] = config;
    out_.write(
        ", \"grid\": [{},{},{}], \"block\": [{},{},{}], \"registers per thread\": {}, "
        "\"shared memory\": {}",
        grid[0], grid[1], grid[2], block[0], block[1], block[2], registers, config.shared());
  }

  // If torch numbered no ops, the row's number makes the id unique.
  void write_op_args(const TorchEvent& event, std::uint32_t row) {
    out_.write(", \"Record function id\": {}", event.id != 0        ? event.id
                                               : numbered_by_torch_ ? 0
                                                                    : std::uint64_t{row} + 1);
    if (event.link != 0 && !event.is_annotation())
      out_.write(", \"Sequence number\": {}, \"Fwd thread id\": {}", sequence_number(event.link),
                 event.kind == SpanKind::backward ? forward_thread(event.link) : 0);
    if (event.types != 0) out_.write(", \"Input type\": {}", run_.strings[event.types]);
    if (event.shapes != 0) out_.write(", \"Input Dims\": {}", run_.strings[event.shapes]);
    const std::string_view details = run_.strings[event.details];
    if (!details.empty()) out_.write(", {}", details);
    if (event.call_site == 0) return;
    const CallSite& call_site = run_.call_sites[event.call_site];
    if (options_.stacks) {
      out_.buffer() += ", \"Call stack\": ";
      append_json_string(out_.buffer(),
                         fmt::format("{}", fmt::join(stack_at(run_, event.call_site), ";")));
    }
    if (options_.modules && call_site.module != 0 &&
        details.find(kHierarchy) == std::string_view::npos) {
      out_.write(", {}: ", kHierarchy);
      append_json_string(out_.buffer(), run_.strings[call_site.module]);
    }
  }

  void write_modules() {
    for (const ModuleRow& row : module_rows(run_, events_)) {
      out_.begin_event();
      out_.buffer() += "{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": ";
      append_json_string(out_.buffer(), "nn.Module: " + row.path);
      out_.write(", \"pid\": {}, \"tid\": {}", pid_, run_.tracks[row.track].os_id);
      write_time("ts", row.start_ns + shift_ns_);
      write_time("dur", row.duration_ns);
      out_.write(
          ", \"args\": {{\"Python id\": {}, \"Python parent id\": {}, \"Python module id\": {}}}}}",
          row.id, row.parent == 0 ? "null" : std::to_string(row.parent), row.module);
    }
  }

  void write_memory() {
    std::unordered_map<std::uint32_t, std::int64_t> totals;
    for (const MemoryInstant& mark : memory_) {
      const auto device = run_.device(mark.device);
      const bool on_cpu = run_.is_cpu(mark.device);
      const std::int64_t total = totals[mark.device] += mark.bytes;
      out_.begin_event();
      out_.write(
          "{{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\", "
          "\"pid\": {}, \"tid\": {}",
          pid_, run_.tracks[mark.track].os_id);
      write_time("ts", mark.time_ns + shift_ns_);
      out_.write(
          ", \"args\": {{\"Total Reserved\": 0, \"Total Allocated\": {}, \"Bytes\": {}, \"Device "
          "Id\": {}, \"Device Type\": {}, \"Addr\": {}}}}}",
          total, mark.bytes, on_cpu ? -1 : static_cast<int>(device ? device->index : 0),
          on_cpu ? 0 : 1, mark.address);
    }
  }

  void write_flows() {
    std::unordered_map<std::uint64_t, std::uint32_t> forward, launches;
    std::uint32_t next = 1;
    for (std::uint32_t row = 0; row < events_.size(); ++row) {
      const TorchEvent& event = events_[row];
      if (event.link == 0 || event.is_memory()) continue;
      if (event.kind == SpanKind::op && is_outside_backward(event)) forward[event.link] = row;
      if (event.kind == SpanKind::launch) launches[event.link] = row;
      if (is_backward_node(event, run_))
        if (const auto from = forward.find(event.link); from != forward.end())
          write_flow("fwdbwd", next++, events_[from->second], event);
      if (event.on_device)
        if (const auto from = launches.find(event.link); from != launches.end())
          write_flow("ac2g", correlation(event.link), events_[from->second], event);
    }
  }

  bool is_outside_backward(const TorchEvent& event) const {
    for (std::uint32_t at = event.parent; at != TorchEvent::kNone; at = events_[at].parent)
      if (events_[at].kind == SpanKind::backward) return false;
    return true;
  }

  void write_flow(const char* name, std::uint32_t id, const TorchEvent& from,
                  const TorchEvent& to) {
    for (const TorchEvent* end : {&from, &to}) {
      out_.begin_event();
      out_.write("{{\"ph\": \"{}\", \"id\": {}, ", end == &from ? "s" : "f", id);
      write_thread(*end);
      write_time("ts", end->start_ns + shift_ns_);
      out_.write(", \"cat\": \"{}\", \"name\": \"{}\"{}}}", name, name,
                 end == &from ? "" : ", \"bp\": \"e\"");
    }
  }

  std::uint32_t correlation(std::uint64_t link) {
    return correlations_.try_emplace(link, static_cast<std::uint32_t>(correlations_.size() + 1))
        .first->second;
  }

  void write_tail() {
    out_.begin_event();
    out_.write(
        "{{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"PyTorch Profiler (0)\", \"pid\": "
        "\"Spans\", \"tid\": \"PyTorch Profiler\"");
    write_time("ts", shift_ns_);
    write_time("dur", duration_ns_);
    out_.write(", \"args\": {{\"Op count\": 0}}}}");
    out_.begin_event();
    out_.buffer() +=
        "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": \"Spans\", \"tid\": 0";
    write_time("ts", shift_ns_);
    out_.write(", \"args\": {{\"sort_index\": {}}}}}", kSpansCallSite);
    out_.begin_event();
    out_.buffer() +=
        "{\"ph\": \"i\", \"s\": \"g\", \"name\": \"Iteration Start: PyTorch Profiler\", \"pid\": "
        "\"Traces\", \"tid\": \"Trace PyTorch Profiler\"";
    write_time("ts", shift_ns_);
    out_.buffer() += "}";
    out_.begin_event();
    out_.write(
        "{{\"ph\": \"i\", \"s\": \"g\", \"name\": \"Record Window End\", \"pid\": \"\", \"tid\": "
        "\"\"");
    write_time("ts", shift_ns_ + duration_ns_);
    out_.buffer() += "}\n  ],\n  \"traceName\": ";
    append_json_string(out_.buffer(), options_.trace_name);
    out_.buffer() += "\n}\n";
  }

  const Run& run_;
  const std::vector<TorchEvent>& events_;
  const std::vector<MemoryInstant>& memory_;
  const KinetoOptions& options_;
  EventStream out_;
  std::uint32_t pid_ = 0;
  std::int64_t base_ns_ = 0, shift_ns_ = 0, duration_ns_ = 0;
  bool numbered_by_torch_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> correlations_;
};

}  // namespace

Status export_kineto(const Run& run, const TorchEvents& events, const KinetoOptions& options,
                     Sink& sink) {
  return KinetoWriter(run, events, options, sink).write();
}

}  // namespace laptime
