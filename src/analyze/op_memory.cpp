#include "analyze/op_memory.h"

#include "analyze/memory_replay.h"

namespace laptime {

namespace {

struct SelfBytes : MemoryObserver {
  const OpAttribution& ops;
  std::vector<BulkVector<std::int64_t>>& bytes;

  SelfBytes(const OpAttribution& attribution, std::vector<BulkVector<std::int64_t>>& sums) : ops(attribution), bytes(sums) {}

  void born(const DeviceMemory&, const MemoryBlock& block) {
    if (!block.from_before) add(block.track, block.row, static_cast<std::int64_t>(block.bytes));
  }
  void died(const DeviceMemory&, const MemoryBlock& block, const MemoryEvent& release) {
    if (release.kind == SpanKind::release) add(release.track, release.row, -static_cast<std::int64_t>(block.bytes));
  }
  void add(std::uint32_t track, std::uint32_t mark, std::int64_t change) {
    const OpTree& tree = ops.tracks[track].tree;
    if (mark >= tree.size() || tree.parent[mark] == kNoRow) return;
    if (bytes[track].empty()) bytes[track].resize(tree.size(), 0);
    bytes[track][tree.parent[mark]] += change;
  }
};

}  // namespace

std::vector<BulkVector<std::int64_t>> op_self_bytes(const Run& run, const OpAttribution& ops) {
  std::vector<BulkVector<std::int64_t>> bytes(run.tracks.size());
  SelfBytes observer(ops, bytes);
  for (std::uint32_t process = 0; process < run.processes.size(); ++process) MemoryReplay(run, observer).play(process);
  return bytes;
}

}  // namespace laptime
