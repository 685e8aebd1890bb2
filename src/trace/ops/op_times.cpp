#include "trace/ops/op_times.h"

namespace laptime {

namespace {

void add_track(const SpanColumns& spans, const TrackOps& ops, std::vector<OpTimes>& times) {
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const SpanKind kind = spans.kind[row];
    OpTimes& at = times[ops.call_site[row]];
    if (kind == SpanKind::loader) at.wait_ns += static_cast<std::uint64_t>(spans.duration[row]);
    if (ops.pass[row] == OpPass::none || (kind != SpanKind::op && kind != SpanKind::backward))
      continue;
    const auto self = static_cast<std::uint64_t>(ops.tree.self_ns[row]);
    if (ops.pass[row] == OpPass::backward) {
      at.backward_ns += self;
      continue;
    }
    at.forward_ns += self;
    at.calls += ops.is_outermost(spans, row);
  }
}

}  // namespace

void OpTimes::add(const OpTimes& other) {
  calls += other.calls;
  forward_ns += other.forward_ns;
  backward_ns += other.backward_ns;
  wait_ns += other.wait_ns;
  gpu_ns += other.gpu_ns;
}

std::vector<OpTimes> sum_op_times(const Run& run, const OpAttribution& attribution) {
  std::vector<OpTimes> sums;
  for (std::size_t t = 0; t < run.tracks.size(); ++t) {
    if (attribution.tracks[t].size() == 0) continue;
    sums.resize(run.call_sites.size());
    add_track(run.tracks[t].spans, attribution.tracks[t], sums);
  }
  return sums;
}

}  // namespace laptime
