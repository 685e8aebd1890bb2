#include "trace/gpu/op_gpu_times.h"

namespace laptime {

namespace {

// Adds each row's GPU time to its parents. Children come before their parents.
void sum_up(const SpanColumns& spans, const OpTree& tree, OpGpuTimes& times) {
  times.ns = times.self_ns;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::uint32_t row = tree.order.empty() ? static_cast<std::uint32_t>(i) : tree.order[i];
    if (is_in_op_tree(spans.kind[row]) && tree.parent[row] != kNoRow)
      times.ns[tree.parent[row]] += times.ns[row];
  }
}

}  // namespace

std::vector<OpGpuTimes> sum_op_gpu_times(const Run& run, const OpAttribution& ops,
                                         const GpuWorkload& gpu) {
  std::vector<OpGpuTimes> times(run.tracks.size());
  for (const GpuWork& work : gpu.all()) {
    if (!work.launch || work.launch->op_row == kNoRow) continue;
    OpGpuTimes& of_track = times[work.launch->track];
    if (of_track.empty()) of_track.self_ns.resize(ops.tracks[work.launch->track].size(), 0);
    of_track.self_ns[work.launch->op_row] +=
        static_cast<std::uint64_t>(run.tracks[work.track].spans.duration[work.row]);
  }
  for (std::size_t t = 0; t < times.size(); ++t)
    if (!times[t].empty()) sum_up(run.tracks[t].spans, ops.tracks[t].tree, times[t]);
  return times;
}

}  // namespace laptime
