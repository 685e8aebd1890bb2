#include "trace/torch/torch_events.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "format/names.h"
#include "trace/gpu/kernel_names.h"
#include "trace/ops/attribution.h"
#include "trace/run/nesting.h"
#include "trace/torch/torch_memory.h"

namespace laptime {

namespace {

constexpr std::uint32_t kNone = TorchEvent::kNone;

constexpr std::array<std::string_view, 6> kLeftOut = {"profiler::_record_function_enter",
                                                      "profiler::_record_function_enter_new",
                                                      "profiler::_record_function_exit",
                                                      "aten::is_leaf",
                                                      "aten::output_nr",
                                                      "aten::_version"};
// torch.profiler counts the FLOPs of these ops only. A recording has more.
constexpr std::array<std::string_view, 7> kWithFlops = {
    "aten::conv2d",  "aten::mm",  "aten::addmm", "aten::bmm",
    "aten::baddbmm", "aten::mul", "aten::add"};

struct ProcessInterval {
  std::uint32_t process, track;
  std::int64_t begin, end;
  bool contains(const SpanColumns& spans, std::size_t row) const {
    return spans.start[row] >= begin && spans.end(row) <= end;
  }
};

Result<ProcessInterval> find_interval(const Run& run, std::uint64_t link) {
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const Track& track = run.tracks[t];
    for (std::size_t row = track.spans.link.size(); row-- > 0;)
      if (track.spans.link[row] == link && track.spans.kind[row] == SpanKind::scope)
        return ProcessInterval{track.process, t, track.spans.start[row], track.spans.end(row)};
  }
  return fail(ErrorKind::bad_file, run.path + " does not hold the interval that was profiled");
}

bool is_event(SpanKind kind) {
  return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::annotation ||
         kind == SpanKind::launch || kind == SpanKind::sync;
}
bool is_device_work(SpanKind kind) {
  return kind == SpanKind::kernel || kind == SpanKind::copy || kind == SpanKind::fill;
}

// The strings that are one of the names.
std::unordered_set<std::uint32_t> ids_of(const StringTable& strings,
                                         std::span<const std::string_view> names) {
  std::unordered_set<std::uint32_t> ids;
  for (const std::string_view name : names)
    if (const std::uint32_t id = strings.find(name); id != StringTable::kNoString) ids.insert(id);
  return ids;
}

// What all threads share.
struct Context {
  ProcessInterval interval;
  TorchMemory memory;
  std::unordered_set<std::uint32_t> left_out, with_flops;  // names
  std::vector<UnendedOp> unended;

  Context(const Run& run, const ProcessInterval& where, std::vector<UnendedOp> open)
      : interval(where),
        memory(read_memory(run, where.process, where.begin, where.end)),
        left_out(ids_of(run.strings, kLeftOut)),
        with_flops(ids_of(run.strings, kWithFlops)),
        unended(std::move(open)) {}
};

// One thread's events. They are first linked as a tree, children before parents, then written with
// parents first.
class ThreadEvents {
 public:
  // `call_sites`: by row, or empty.
  ThreadEvents(const Run& run, const Context& context, const BulkVector<std::uint32_t>& call_sites,
               std::uint32_t track)
      : run_(run),
        context_(context),
        interval_(context.interval),
        call_sites_(call_sites),
        spans_(run.tracks[track].spans),
        shapes_(spans_.shapes.cursor()),
        types_(spans_.types.cursor()),
        flops_(spans_.flops.cursor()),
        track_(track) {}

  std::vector<TorchEvent> build() {
    const std::vector<std::uint32_t> order = end_order(spans_);
    reserve_nodes();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
      if (!interval_.contains(spans_, row)) continue;
      const SpanKind kind = spans_.kind[row];
      if (is_memory_instant(kind)) add_memory(row);
      if (is_event(kind) && !context_.left_out.contains(spans_.name[row])) add_event(row);
    }
    if (track_ == interval_.track) add_unended();
    std::vector<TorchEvent> events;
    events.reserve(nodes_.size());
    for (const std::uint32_t root : orphans_) write_out(root, events);
    return events;
  }

 private:
  struct Node {
    TorchEvent event;
    std::uint32_t first_child = kNone, next = kNone;
    std::uint32_t children = 0;
  };

  void reserve_nodes() {
    std::size_t rows = 0;
    for (std::size_t row = 0; row < spans_.size(); ++row) rows += interval_.contains(spans_, row);
    nodes_.reserve(rows);
  }

  void add_memory(std::uint32_t row) {
    const auto found = context_.memory.bytes.find(instant_key(track_, row));
    if (found == context_.memory.bytes.end()) return;
    Node& node = add_node(row);
    (run_.is_cpu(spans_.name[row]) ? node.event.self_cpu_bytes : node.event.self_device_bytes) =
        found->second;
    orphans_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
  }

  void add_event(std::uint32_t row) {
    const auto self = static_cast<std::uint32_t>(nodes_.size());
    add_node(row);
    if (!call_sites_.empty()) nodes_[self].event.call_site = call_sites_[row];
    TorchEvent& event = nodes_[self].event;
    event.shapes = shapes_.value_or(row, 0);
    event.types = types_.value_or(row, 0);
    if (context_.with_flops.contains(event.name))
      event.flops = static_cast<std::int64_t>(flops_.value_or(row, 0));
    if (!spans_.link.empty()) nodes_[self].event.link = spans_.link[row];
    adopt_orphans(self);
  }

  // Unended ops last until the session ends, so they contain all later events.
  void add_unended() {
    for (std::size_t i = context_.unended.size(); i-- > 0;) {
      const UnendedOp& op = context_.unended[i];
      if (op.start_ns < 0 || context_.left_out.contains(op.name)) continue;
      const auto self = static_cast<std::uint32_t>(nodes_.size());
      TorchEvent& event = nodes_.emplace_back().event;
      event.start_ns = op.start_ns;
      event.duration_ns = std::max<std::int64_t>(0, interval_.end - interval_.begin - op.start_ns);
      event.name = op.name;
      event.kind = op.kind;
      event.track = track_;
      adopt_orphans(self);
    }
  }

  void adopt_orphans(std::uint32_t self) {
    while (!orphans_.empty() &&
           nodes_[orphans_.back()].event.start_ns >= nodes_[self].event.start_ns) {
      adopt(self, orphans_.back());
      orphans_.pop_back();
    }
    merge_only_child(self);
    orphans_.push_back(self);
  }

  Node& add_node(std::uint32_t row) {
    Node& node = nodes_.emplace_back();
    node.event.start_ns = spans_.start[row] - interval_.begin;
    node.event.duration_ns = spans_.duration[row];
    node.event.name = spans_.name[row];
    node.event.kind = spans_.kind[row];
    node.event.track = track_;
    return node;
  }

  void adopt(std::uint32_t self, std::uint32_t child) {
    Node &parent = nodes_[self], &node = nodes_[child];
    if (node.event.is_memory()) {
      parent.event.self_cpu_bytes += node.event.self_cpu_bytes;
      parent.event.self_device_bytes += node.event.self_device_bytes;
      return;
    }
    // The engine's call around a node has no number of its own.
    if (parent.event.kind == SpanKind::backward && node.event.kind == SpanKind::backward &&
        parent.event.link == 0)
      parent.event.link = node.event.link;
    parent.event.children_ns += node.event.duration_ns;
    node.next = parent.first_child;
    parent.first_child = child;
    ++parent.children;
  }

  void merge_only_child(std::uint32_t self) {
    Node& parent = nodes_[self];
    if (parent.children != 1) return;
    const Node& child = nodes_[parent.first_child];
    if (child.event.name != parent.event.name) return;
    parent.event.children_ns = child.event.children_ns;
    parent.event.self_cpu_bytes += child.event.self_cpu_bytes;
    parent.event.self_device_bytes += child.event.self_device_bytes;
    parent.children = child.children;
    parent.first_child = child.first_child;
  }

  void write_out(std::uint32_t root, std::vector<TorchEvent>& events) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{
        {root, kNone}};  // node, parent's index in `events`
    while (!open.empty()) {
      const auto [node, parent] = open.back();
      open.pop_back();
      if (node != root && nodes_[node].next != kNone) open.push_back({nodes_[node].next, parent});
      const auto self = static_cast<std::uint32_t>(events.size());
      events.push_back(nodes_[node].event);
      events.back().parent = parent;
      if (nodes_[node].first_child != kNone) open.push_back({nodes_[node].first_child, self});
    }
  }

  const Run& run_;
  const Context& context_;
  const ProcessInterval& interval_;
  const BulkVector<std::uint32_t>& call_sites_;
  const Spans& spans_;
  SideColumn<std::uint32_t>::Cursor shapes_, types_;
  SideColumn<std::uint64_t>::Cursor flops_;
  const std::uint32_t track_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> orphans_;
};

std::vector<TorchEvent> device_events(const Track& track, std::uint32_t number,
                                      const ProcessInterval& interval) {
  std::vector<TorchEvent> events;
  const Spans& spans = track.spans;
  auto configs = spans.launch_config.cursor();
  auto bytes = spans.bytes.cursor();
  auto copies = spans.copy.cursor();
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    // Work may end after the interval that launched it.
    if (!is_device_work(spans.kind[row]) || spans.start[row] < interval.begin ||
        spans.start[row] > interval.end)
      continue;
    TorchEvent event{.start_ns = spans.start[row] - interval.begin,
                     .duration_ns = spans.duration[row]};
    event.kernel_ns = event.self_kernel_ns = event.duration_ns;
    event.link = spans.link.empty() ? 0 : spans.link[row];
    event.name = spans.name[row];
    event.kind = spans.kind[row];
    event.track = number;
    event.on_device = true;
    event.launch_config = configs.value_or(row, 0);
    event.moved_bytes = static_cast<std::int64_t>(bytes.value_or(row, 0));
    event.copy = copies.value_or(row, {});
    events.push_back(event);
  }
  return events;
}

// Merges the lists of threads by start, and renumbers parents.
std::vector<TorchEvent> merge(std::vector<std::vector<TorchEvent>> lists) {
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  if (lists.size() == 1) return std::move(lists[0]);
  struct From {
    std::uint32_t list, row;
  };
  std::vector<From> order;
  std::vector<std::vector<std::uint32_t>> places(lists.size());
  for (std::uint32_t l = 0; l < lists.size(); ++l) {
    places[l].resize(lists[l].size());
    for (std::uint32_t row = 0; row < lists[l].size(); ++row) order.push_back({l, row});
  }
  std::stable_sort(order.begin(), order.end(), [&](From a, From b) {
    return lists[a.list][a.row].start_ns < lists[b.list][b.row].start_ns;
  });
  std::vector<TorchEvent> events;
  events.reserve(order.size());
  for (const From from : order) {
    places[from.list][from.row] = static_cast<std::uint32_t>(events.size());
    TorchEvent& event = events.emplace_back(lists[from.list][from.row]);
    if (event.parent != kNone) event.parent = places[from.list][event.parent];
  }
  return events;
}

// Assigns kernels to the events that launched them, then sums from the leaves up.
void add_up(std::vector<TorchEvent>& events) {
  std::unordered_map<std::uint64_t, std::uint32_t> launches;
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (events[i].kind == SpanKind::launch && events[i].link != 0)
      launches.emplace(events[i].link, i);
  for (const TorchEvent& event : events) {
    if (!event.on_device) continue;
    const auto launch = launches.find(event.link);
    if (launch == launches.end()) continue;
    const std::uint32_t owner =
        events[launch->second].parent == kNone ? launch->second : events[launch->second].parent;
    events[owner].self_kernel_ns += event.duration_ns;
  }
  for (std::size_t i = events.size(); i-- > 0;) {
    TorchEvent& event = events[i];
    if (event.on_device) continue;
    event.kernel_ns += event.self_kernel_ns;
    event.cpu_bytes += event.self_cpu_bytes;
    event.device_bytes += event.self_device_bytes;
    if (event.parent == kNone) continue;
    TorchEvent& parent = events[event.parent];
    parent.kernel_ns += event.kernel_ns;
    parent.cpu_bytes += event.cpu_bytes;
    parent.device_bytes += event.device_bytes;
  }
}

}  // namespace

std::string event_name(const TorchEvent& event, const Run& run) {
  if (event.is_memory()) return "[memory]";
  const std::string_view name = run.strings[event.name];
  if (event.kind == SpanKind::kernel) return demangled_kernel_name(name);
  // torch.profiler does not tell blocking copies from others.
  if (event.copy.blocking) return copy_name(event.copy);
  return std::string(name);
}

bool is_backward_node(const TorchEvent& event, const Run& run) {
  return event.kind == SpanKind::backward &&
         !run.strings[event.name].starts_with(span_name::kAutogradEngine);
}

Result<TorchEvents> torch_events(const Run& run, std::uint64_t link, CallSites call_sites,
                                 TorchNotes notes) {
  ASSIGN_OR_RETURN(const ProcessInterval interval, find_interval(run, link));
  const Context context(run, interval, std::move(notes.unended));
  OpAttribution attribution;
  if (call_sites == CallSites::yes) attribution = attribute_ops(run, find_steps(run));
  attribution.tracks.resize(run.tracks.size());
  TorchEvents result;
  result.process = interval.process;
  result.begin_ns = interval.begin;
  result.duration_ns = interval.end - interval.begin;
  std::vector<std::vector<TorchEvent>> lists;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const Track& track = run.tracks[t];
    if (track.process != interval.process) continue;
    lists.push_back(track.kind == TrackKind::thread
                        ? ThreadEvents(run, context, attribution.tracks[t].call_site, t).build()
                        : device_events(track, t, interval));
  }
  result.memory = context.memory.instants;
  result.events = merge(std::move(lists));
  add_up(result.events);
  add_notes(run, std::move(notes), result.duration_ns, result.events);
  return result;
}

}  // namespace laptime
