#include "analyze/launches.h"

#include <algorithm>

namespace laptime {

namespace {

// A launch this many nodes away says nothing about a node that launched nothing.
constexpr std::uint64_t kNearNodes = 64;

struct OwnArgs {
  std::uint32_t place = 0;
  std::int64_t node = 0;
};

// Arguments with key 0 of rows that rise.
class OwnArgReader {
 public:
  OwnArgReader(const Run& run, const ArgColumns& args) : run_(run), args_(args) {}
  OwnArgs at(std::uint32_t row) {
    OwnArgs own;
    while (next_ < args_.size() && args_.row[next_] < row) ++next_;
    for (; next_ < args_.size() && args_.row[next_] == row; ++next_) {
      if (args_.key[next_] != 0) continue;
      if (args_.type[next_] == ArgType::integer) own.node = static_cast<std::int64_t>(args_.value[next_]);
      if (args_.type[next_] == ArgType::place && args_.value[next_] < run_.places.size()) own.place = static_cast<std::uint32_t>(args_.value[next_]);
    }
    return own;
  }

 private:
  const Run& run_;
  const ArgColumns& args_;
  std::size_t next_ = 0;
};

// The innermost span of the op tree around a moment of its thread.
class OpsAround {
 public:
  OpsAround(const SpanColumns& spans, const TrackOps& ops) : spans_(spans), ops_(ops) {
    for (std::uint32_t row = 0; row < ops.size(); ++row)
      if (is_in_op_tree(spans.kind[row])) by_start_.push_back(row);
    std::stable_sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return spans.start[a] != spans.start[b] ? spans.start[a] < spans.start[b] : spans.duration[a] > spans.duration[b];
    });
  }
  std::uint32_t at(std::int64_t time) const {
    const auto after = std::upper_bound(by_start_.begin(), by_start_.end(), time, [&](std::int64_t t, std::uint32_t row) { return t < spans_.start[row]; });
    std::uint32_t row = after == by_start_.begin() ? kNoRow : *(after - 1);
    while (row != kNoRow && (spans_.end(row) < time || repeats_parent(spans_, row, ops_.tree.parent[row]))) row = ops_.tree.parent[row];
    return row;
  }

 private:
  const SpanColumns& spans_;
  const TrackOps& ops_;
  std::vector<std::uint32_t> by_start_;
};

// The name to show for what a launch lies in: the outermost op, or the autograd node around it.
std::uint32_t name_around(const SpanColumns& spans, const TrackOps& ops, std::uint32_t row) {
  std::uint32_t name = 0;
  for (; row != kNoRow; row = ops.tree.parent[row])
    if (spans.kind[row] == SpanKind::op || (spans.kind[row] == SpanKind::backward && name == 0)) name = spans.name[row];
  return name;
}

// Not the span of a Function of the program's own, nor a region around several ops: these may run lines of their own.
bool is_of_torch(const Run& run, const SpanColumns& spans, std::uint32_t row) {
  return spans.kind[row] == SpanKind::op && run.strings[spans.name[row]].find("::") != std::string_view::npos;
}

}  // namespace

Launches::Launches(const Run& run, const OpAttribution& ops, const std::vector<std::uint32_t>& tracks) {
  for (const std::uint32_t track : tracks) add_track(run, ops.tracks[track], track);
  by_time_.resize(launches_.size());
  for (std::uint32_t i = 0; i < by_time_.size(); ++i) by_time_[i] = i;
  std::stable_sort(by_time_.begin(), by_time_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Launch &x = launches_[a], &y = launches_[b];
    return x.link != y.link ? x.link < y.link : x.start_ns < y.start_ns;
  });
  for (std::uint32_t i = static_cast<std::uint32_t>(by_time_.size()); i-- > 0;) by_link_[launches_[by_time_[i]].link] = i + 1;
  find_backward_places();
}

void Launches::add_track(const Run& run, const TrackOps& ops, std::uint32_t track) {
  const SpanColumns& spans = run.tracks[track].spans;
  if (spans.link.empty()) return;
  const OpsAround around(spans, ops);
  OwnArgReader args(run, spans.args);
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != SpanKind::launch || spans.link[row] == 0) continue;
    const OwnArgs own = args.at(row);
    Launch launch{spans.start[row], spans.end(row), spans.link[row], track, row, 0, own.place, OpPass::forward, kNoRow};
    Node node{LaunchNode::autograd(own.node), LaunchNode::backward(own.node), own.place != 0, false};
    if (node.backward) launch.pass = OpPass::backward;
    if (const std::uint32_t op = around.at(launch.start_ns); op != kNoRow) {
      launch.op_row = op;
      launch.op = name_around(spans, ops, op);
      if (ops.pass[op] != OpPass::none) launch.pass = ops.pass[op];
      node.done = launch.op != 0 && ops.place[op] != 0 && (!node.has_line || is_of_torch(run, spans, op));
      if (node.done) launch.place = ops.place[op];
    }
    launches_.push_back(launch);
    nodes_.push_back(node);
  }
}

void Launches::find_backward_places() {
  for (std::uint32_t i = 0; i < launches_.size(); ++i)
    if (nodes_[i].link != 0 && launches_[i].place != 0 && (nodes_[i].has_line || !nodes_[i].backward)) made_nodes_.push_back(i);
  std::stable_sort(made_nodes_.begin(), made_nodes_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return nodes_[a].link != nodes_[b].link ? nodes_[a].link < nodes_[b].link : launches_[a].start_ns < launches_[b].start_ns;
  });
  for (std::uint32_t i = 0; i < launches_.size(); ++i) {
    Launch& launch = launches_[i];
    if (!nodes_[i].backward || nodes_[i].done || nodes_[i].has_line) continue;
    const bool has_previous = i > 0 && launches_[i - 1].track == launch.track;
    const std::uint32_t forward = nodes_[i].link != 0 ? place_of_node(nodes_[i].link) : has_previous ? launches_[i - 1].place : 0;
    if (forward != 0) launch.place = forward;
  }
}

std::uint32_t Launches::place_of_node(std::uint64_t node) const {
  const auto at = std::lower_bound(made_nodes_.begin(), made_nodes_.end(), node, [&](std::uint32_t row, std::uint64_t link) { return nodes_[row].link < link; });
  const auto is_near = [&](std::uint32_t row) { return std::max(nodes_[row].link, node) - std::min(nodes_[row].link, node) <= kNearNodes; };
  if (at != made_nodes_.end() && nodes_[*at].link == node) return launches_[*at].place;
  if (at != made_nodes_.begin() && is_near(*(at - 1))) return launches_[*(at - 1)].place;
  return at != made_nodes_.end() && is_near(*at) ? launches_[*at].place : 0;
}

const Launch* Launches::find(std::uint64_t link, std::int64_t time) const {
  const std::uint32_t* const first = link == 0 ? nullptr : by_link_.find(link);
  if (!first) return nullptr;
  const Launch* found = nullptr;
  for (std::size_t i = *first - 1; i < by_time_.size(); ++i) {
    const Launch& launch = launches_[by_time_[i]];
    if (launch.link != link || (found && launch.start_ns > time)) break;
    found = &launch;
  }
  return found;
}

const Launch* Launches::find_graph_node(std::uint64_t link) const { return find(link, INT64_MAX); }

}  // namespace laptime
