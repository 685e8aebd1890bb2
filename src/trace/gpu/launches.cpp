#include "trace/gpu/launches.h"

#include <algorithm>

#include "trace/ops/ops_around.h"

namespace laptime {

namespace {

// A launch this many nodes away is no evidence for a node without launches.
constexpr std::uint64_t kNearNodes = 64;

}  // namespace

Launches::Launches(const Run& run, const OpAttribution& ops,
                   const std::vector<std::uint32_t>& tracks) {
  for (const std::uint32_t track : tracks) add_track(run, ops.tracks[track], track);
  by_time_.resize(launches_.size());
  for (std::uint32_t i = 0; i < by_time_.size(); ++i) by_time_[i] = i;
  std::stable_sort(by_time_.begin(), by_time_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Launch &x = launches_[a], &y = launches_[b];
    return x.link != y.link ? x.link < y.link : x.start_ns < y.start_ns;
  });
  for (std::uint32_t i = static_cast<std::uint32_t>(by_time_.size()); i-- > 0;)
    by_link_[launches_[by_time_[i]].link] = i + 1;
  find_backward_call_sites();
}

void Launches::add_track(const Run& run, const TrackOps& ops, std::uint32_t track) {
  const Spans& spans = run.tracks[track].spans;
  if (spans.link.empty()) return;
  const OpsAround ops_around(run, track, ops);
  auto call_sites = spans.call_site.cursor();
  auto nodes = spans.autograd.cursor();
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != SpanKind::launch || spans.link[row] == 0) continue;
    const std::uint32_t call_site = call_sites.value_or(row, 0);
    const std::int64_t autograd = nodes.value_or(row, 0);
    Launch launch{spans.start[row], spans.end(row),  spans.link[row], track, row, 0,
                  call_site,        OpPass::forward, kNoRow};
    Node node{LaunchNode::autograd(autograd), LaunchNode::backward(autograd), call_site != 0,
              false};
    if (node.backward) launch.pass = OpPass::backward;
    if (const OpAround around = ops_around.at(launch.start_ns, node.has_line);
        around.row != kNoRow) {
      launch.op_row = around.row;
      launch.op = around.op;
      if (ops.pass[around.row] != OpPass::none) launch.pass = ops.pass[around.row];
      node.done = around.call_site != 0;
      if (node.done) launch.call_site = around.call_site;
    }
    launches_.push_back(launch);
    nodes_.push_back(node);
  }
}

void Launches::find_backward_call_sites() {
  for (std::uint32_t i = 0; i < launches_.size(); ++i)
    if (nodes_[i].link != 0 && launches_[i].call_site != 0 &&
        (nodes_[i].has_line || !nodes_[i].backward))
      made_nodes_.push_back(i);
  std::stable_sort(made_nodes_.begin(), made_nodes_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return nodes_[a].link != nodes_[b].link ? nodes_[a].link < nodes_[b].link
                                            : launches_[a].start_ns < launches_[b].start_ns;
  });
  for (std::uint32_t i = 0; i < launches_.size(); ++i) {
    Launch& launch = launches_[i];
    if (!nodes_[i].backward || nodes_[i].done || nodes_[i].has_line) continue;
    const bool has_previous = i > 0 && launches_[i - 1].track == launch.track;
    const std::uint32_t forward = nodes_[i].link != 0 ? call_site_of_node(nodes_[i].link)
                                  : has_previous      ? launches_[i - 1].call_site
                                                      : 0;
    if (forward != 0) launch.call_site = forward;
  }
}

std::uint32_t Launches::call_site_of_node(std::uint64_t node) const {
  const auto at = std::lower_bound(
      made_nodes_.begin(), made_nodes_.end(), node,
      [&](std::uint32_t row, std::uint64_t link) { return nodes_[row].link < link; });
  const auto is_near = [&](std::uint32_t row) {
    return std::max(nodes_[row].link, node) - std::min(nodes_[row].link, node) <= kNearNodes;
  };
  if (at != made_nodes_.end() && nodes_[*at].link == node) return launches_[*at].call_site;
  if (at != made_nodes_.begin() && is_near(*(at - 1))) return launches_[*(at - 1)].call_site;
  return at != made_nodes_.end() && is_near(*at) ? launches_[*at].call_site : 0;
}

const Launch* Launches::find(std::uint64_t link, std::int64_t time) const {
  const std::uint32_t* const first = link == 0 ? nullptr : by_link_.find(link);
  if (!first) return nullptr;
  const Launch* found = nullptr;
  for (std::size_t i = *first - 1; i < by_time_.size(); ++i) {
    const Launch& launch = launches_[by_time_[i]];
    if (launch.link != link || launch.start_ns > time) break;
    found = &launch;
  }
  return found;
}

const Launch* Launches::find_graph_node(std::uint64_t link) const { return find(link, INT64_MAX); }

}  // namespace laptime
