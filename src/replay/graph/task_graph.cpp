#include "replay/graph/task_graph.h"

#include <algorithm>
#include <numeric>

#include "trace/analysis.h"
#include "trace/gpu/kernel_names.h"
#include "trace/ops/torch_nodes.h"
#include "trace/run/nesting.h"

namespace laptime::replay {

GraphSource::GraphSource(const Analysis& analysis)
    : analysis(analysis),
      run(analysis.run()),
      ops(analysis.ops()),
      gpu(analysis.gpu()),
      python(analysis),
      memory_ops(laptime::memory_ops(run.strings)),
      collectives(laptime::collectives(run.strings)),
      torch_nodes(find_torch_nodes(run.strings)),
      orders(run.tracks.size()),
      gpu_by_launch(gpu.all().size()) {
  for (std::size_t t = 0; t < run.tracks.size(); ++t)
    orders[t] =
        ops.tracks[t].size() > 0 ? ops.tracks[t].tree.order : end_order(run.tracks[t].spans);
  std::iota(gpu_by_launch.begin(), gpu_by_launch.end(), 0);
  const auto launched = [&](std::uint32_t i) {
    const GpuWork& work = gpu.all()[i];
    return work.launch ? work.launch->start_ns : run.tracks[work.track].spans.start[work.row];
  };
  std::stable_sort(gpu_by_launch.begin(), gpu_by_launch.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return launched(a) < launched(b); });
}

}  // namespace laptime::replay
