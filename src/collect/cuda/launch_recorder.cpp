#include "collect/cuda/launch_recorder.h"

#include "base/clock.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

// A program that captures graphs in a loop must not fill its memory.
constexpr std::size_t kMostGraphNodes = 1u << 20;

// Whether the calling thread's call went into a captured graph. Read only in programs that make
// graphs. Not in static thread-local storage: if a program loads this library late, there is no
// room for all its thread-local data.
thread_local constinit bool went_into_graph = false;

}  // namespace

LaunchRecorder::LaunchRecorder(CudaApi& api)
    : api_(api), graph_node_name_(record::intern("graph node")) {
  static_assert(sizeof(LaunchContext) + sizeof launches_ + sizeof generation_ + sizeof expects_ +
                    sizeof sees_graphs_ <=
                64);
  for (const DriverCall& call : kDriverCalls)
    calls_[call.id] = {record::intern(call.name), call.waits};
}

// A call that this driver does not have is refused, which is harmless.
void LaunchRecorder::enable(bool on, std::uint32_t generation) {
  generation_.store(generation, std::memory_order_relaxed);
  for (const DriverCall& call : kDriverCalls)
    (void)api_.enable_callback(on, kDriverDomain, call.id);
  (void)api_.enable_callback(on, kResourceDomain, kGraphNodeCreated);
  (void)api_.enable_callback(on, kResourceDomain, kGraphNodeCloned);
}

void LaunchRecorder::on_driver_call(std::uint32_t id, const CallbackData& call) {
  const KnownCall& known = calls_[id];
  if (call.site == kEnter) {
    if (sees_graphs_.load(std::memory_order_relaxed)) went_into_graph = false;
    if (expects_.load(std::memory_order_relaxed) && !known.waits) awaited_.await(call.correlation);
    *call.correlation_data = ticks();
    return;
  }
  const std::uint64_t end = ticks(), entered = *call.correlation_data;
  const std::uint64_t start =
      entered ? entered : end;  // the callback was switched on during the call
  if (known.waits) return put_wait(start, end, known.name);
  const LaunchOrigin origin = context_.here();
  record::put_launch({start, end, origin.packed, known.name, call.correlation,
                      static_cast<std::uint16_t>(generation_.load(std::memory_order_relaxed)),
                      origin.backward});
  launches_.fetch_add(1, std::memory_order_relaxed);
  const bool failed = call.return_value && *static_cast<const int*>(call.return_value) != 0;
  const bool captured = sees_graphs_.load(std::memory_order_relaxed) && went_into_graph;
  const bool switched = !expects_.load(
      // switched off during the call: perhaps its work was not recorded
      std::memory_order_relaxed);
  if (failed || captured || switched) [[unlikely]]
    awaited_.done(call.correlation);
}

void LaunchRecorder::put_wait(std::uint64_t start, std::uint64_t end, std::uint32_t name) {
  const record::Arg call_site{ArgKey::call_site, ArgType::call_site, context_.call_site()};
  record::put_span({start, end, name, SpanKind::sync}, &call_site, call_site.value ? 1 : 0);
}

// A graph's nodes are captured once, cloned when it is instantiated, and run many times under the
// clone's number.
void LaunchRecorder::on_resource(std::uint32_t id, const ResourceData& resource) {
  const auto* const graph = static_cast<const GraphData*>(resource.descriptor);
  std::uint64_t node = 0, original = 0;
  if (!graph || api_.graph_node_id(graph->node, &node) != kSuccess) return;
  LaunchOrigin origin{};
  if (id == kGraphNodeCreated) {
    origin = context_.here();
    went_into_graph = true;
    sees_graphs_.store(true, std::memory_order_relaxed);
  } else if (id != kGraphNodeCloned ||
             api_.graph_node_id(graph->original_node, &original) != kSuccess) {
    return;
  }
  {
    const std::lock_guard lock(graphs_);
    if (id == kGraphNodeCloned) {
      const auto known = graph_nodes_.find(original);
      if (known == graph_nodes_.end()) return;
      origin = known->second;
    }
    if (graph_nodes_.size() < kMostGraphNodes) graph_nodes_[node] = origin;
  }
  put_graph_node(node, origin);
}

void LaunchRecorder::put_graph_node(std::uint64_t node, const LaunchOrigin& origin) {
  const std::uint64_t now = ticks();
  record::Arg args[2];
  std::uint32_t count = 0;
  if (const std::uint32_t call_site = OpLink::call_site(origin.packed))
    args[count++] = {ArgKey::call_site, ArgType::call_site, call_site};
  if (origin.backward || OpLink::autograd(origin.packed))
    args[count++] = {ArgKey::autograd, ArgType::integer,
                     static_cast<std::uint64_t>(LaunchNode::pack(origin.packed, origin.backward))};
  record::put_span({now, now, graph_node_name_, SpanKind::launch, 0, GraphNodeLink::pack(node)},
                   args, count);
}

}  // namespace laptime::cuda
