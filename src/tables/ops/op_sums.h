// Calls and times of ops, summed by name and by a grouping of table `ops`.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "tables/ops/agreement.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/op_gpu_times.h"
#include "trace/ops/attribution.h"

namespace laptime {

// The value that divides calls of one name into rows: none; the shapes of their inputs; their line
// or module (in backward the forward op's); the ops around them and the line.
enum class OpGrouping { name, shape, line, module, stack };

struct OpSums {
  std::uint32_t name = 0, group = 0;  // group: the shapes, the line …
  std::uint64_t calls = 0, cpu_ns = 0, self_ns = 0, gpu_ns = 0, self_gpu_ns = 0, flops = 0;
  std::int64_t self_bytes = 0;
  bool knows_flops = false;
  CommonId line, module;

  // Contract: of the same name and group.
  void add(const OpSums& other) {
    calls += other.calls, cpu_ns += other.cpu_ns, self_ns += other.self_ns, flops += other.flops;
    self_gpu_ns += other.self_gpu_ns, gpu_ns += other.gpu_ns, self_bytes += other.self_bytes;
    knows_flops |= other.knows_flops;
    line.add(other.line);
    module.add(other.module);
  }
};

// The columns of one track, by row.
struct TrackColumns {
  const Spans& spans;
  const TrackOps& ops;
  const BulkVector<std::int64_t>& bytes;  // empty: not recorded
  const OpGpuTimes& gpu;
  std::vector<std::uint32_t> stacks;  // empty unless rows are grouped by stack
};

// Sums over rows by name and group.
template <OpGrouping grouping>
class GroupSums {
 public:
  void add(const Run& run, const LineIds& lines, const TrackColumns& track, std::uint32_t first,
           std::uint32_t last) {
    const auto& [spans, ops, bytes, gpu, stacks] = track;
    auto shapes_of = spans.shapes.cursor();
    auto flops_of = spans.flops.cursor();
    for (std::uint32_t row = first; row < last; ++row) {
      if (ops.pass[row] == OpPass::none) continue;
      const std::uint32_t call_site = ops.call_site[row], line = lines[call_site],
                          module = run.call_sites[call_site].module;
      const std::uint32_t shapes = shapes_of.value_or(row, 0);
      const std::uint64_t* const flops = flops_of.find(row);
      OpSums& sums = at(spans.name[row], grouping == OpGrouping::shape    ? shapes
                                         : grouping == OpGrouping::line   ? line
                                         : grouping == OpGrouping::module ? module
                                         : grouping == OpGrouping::stack  ? stacks[row]
                                                                          : 0);
      ++sums.calls;
      sums.cpu_ns += static_cast<std::uint64_t>(spans.duration[row]);
      sums.self_ns += static_cast<std::uint64_t>(ops.tree.self_ns[row]);
      if (!gpu.empty()) sums.self_gpu_ns += gpu.self_ns[row], sums.gpu_ns += gpu.ns[row];
      if (!bytes.empty()) sums.self_bytes += bytes[row];
      sums.flops += flops ? *flops : 0;
      sums.knows_flops |= flops != nullptr;
      sums.line.add(line);
      sums.module.add(module);
    }
  }
  void add(const GroupSums& others) {
    for (const OpSums& other : others.sums_) at(other.name, other.group).add(other);
  }
  // In order of first occurrence.
  const std::vector<OpSums>& all() const { return sums_; }

 private:
  OpSums& at(std::uint32_t name, std::uint32_t group) {
    std::uint32_t& call_site = call_sites_[(static_cast<std::uint64_t>(name) << 32 | group) + 1];
    if (call_site == 0) {
      sums_.emplace_back().name = name;
      sums_.back().group = group;
      call_site = static_cast<std::uint32_t>(sums_.size());
    }
    return sums_[call_site - 1];
  }

  FlatMap<std::uint32_t> call_sites_;  // name and group → row of sums_ + 1
  std::vector<OpSums> sums_;
};

}  // namespace laptime
