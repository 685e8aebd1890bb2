#include "analyze/kernel_effort.h"

#include <algorithm>
#include <map>

#include "analyze/kernel_math.h"
#include "analyze/op_bytes.h"
#include "base/flat_map.h"

namespace laptime {

namespace {

struct OpFacts {
  std::uint32_t row = 0;
  std::uint32_t shapes = 0, types = 0;  // Run::strings
  std::optional<std::uint64_t> flops;
};

// What the ops of one track told, by rising row.
class TrackFacts {
 public:
  TrackFacts() = default;
  TrackFacts(const Run& run, const ArgColumns& args) {
    const std::uint32_t flops = run.strings.find("flops"), shapes = run.strings.find("shapes"), types = run.strings.find("types");
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args.key[i] != flops && args.key[i] != shapes && args.key[i] != types) continue;
      if (facts_.empty() || facts_.back().row != args.row[i]) facts_.emplace_back().row = args.row[i];
      OpFacts& op = facts_.back();
      if (args.key[i] == flops && args.type[i] == ArgType::integer) op.flops = args.value[i];
      if (args.key[i] == shapes && args.type[i] == ArgType::string) op.shapes = static_cast<std::uint32_t>(args.value[i]);
      if (args.key[i] == types && args.type[i] == ArgType::string) op.types = static_cast<std::uint32_t>(args.value[i]);
    }
  }
  const OpFacts* find(std::uint32_t row) const {
    const auto at = std::lower_bound(facts_.begin(), facts_.end(), row, [](const OpFacts& op, std::uint32_t r) { return op.row < r; });
    return at != facts_.end() && at->row == row ? &*at : nullptr;
  }

 private:
  std::vector<OpFacts> facts_;
};

// The kernels of one op that its numbers may be about.
struct OneKernel {
  std::uint32_t track = 0, row = 0;  // the op
  std::size_t work = 0, count = 0;
};

class Efforts {
 public:
  Efforts(const Run& run, const OpAttribution& ops, const GpuWorkload& gpu) : run_(run), ops_(ops), gpu_(gpu), result_(gpu.all().size()) {}

  std::vector<KernelEffort> find() {
    for (std::size_t i = 0; i < gpu_.all().size(); ++i) add(i);
    multiplying_.for_each([&](const OneKernel& op) {
      if (op.count == 1) result_[op.work].flops = facts_[op.track].find(op.row)->flops;
    });
    launched_.for_each([&](const OneKernel& op) {
      if (op.count == 1) result_[op.work].bytes = bytes_of(op);
    });
    return std::move(result_);
  }

 private:
  void add(std::size_t index) {
    const GpuWork& work = gpu_.all()[index];
    if (!work.launch || work.launch->op_row == kNoRow) return;
    const std::uint32_t track = work.launch->track;
    const auto [known, is_new] = facts_.try_emplace(track);
    if (is_new) known->second = TrackFacts(run_, run_.tracks[track].spans.args);
    count(launched_, track, work.launch->op_row, index);
    if (!multiplies(work)) return;
    for (std::uint32_t row = work.launch->op_row; row != kNoRow; row = ops_.tracks[track].tree.parent[row])
      if (const OpFacts* const op = known->second.find(row); op && op->flops) return count(multiplying_, track, row, index);
  }
  static void count(FlatMap<OneKernel>& ops, std::uint32_t track, std::uint32_t row, std::size_t work) {
    OneKernel& op = ops[(static_cast<std::uint64_t>(track) << 32 | row) + 1];
    op = {track, row, work, op.count + 1};
  }
  bool multiplies(const GpuWork& work) {
    const auto [known, is_new] = names_.try_emplace(run_.tracks[work.track].spans.name[work.row]);
    if (is_new) {
      const KernelMath math = math_of_kernel(run_.strings[known->first]);
      known->second = math.precision.has_value() || math.tensor_cores.value_or(false);
    }
    return known->second;
  }
  std::optional<std::uint64_t> bytes_of(const OneKernel& op) const {
    const OpFacts* const facts = facts_.at(op.track).find(op.row);
    if (!facts) return std::nullopt;
    const std::string_view name = run_.strings[run_.tracks[op.track].spans.name[op.row]];
    return bytes_moved(name, run_.strings[facts->shapes], run_.strings[facts->types]);
  }

  const Run& run_;
  const OpAttribution& ops_;
  const GpuWorkload& gpu_;
  std::vector<KernelEffort> result_;
  std::map<std::uint32_t, TrackFacts> facts_;  // by track
  FlatMap<OneKernel> multiplying_;             // by the op around them that told its FLOPs
  FlatMap<OneKernel> launched_;                // by the innermost op
  std::map<std::uint32_t, bool> names_;        // by Run::strings
};

}  // namespace

std::vector<KernelEffort> find_kernel_efforts(const Run& run, const OpAttribution& ops, const GpuWorkload& gpu) {
  if (run.strings.find("shapes") == StringTable::kNoString && run.strings.find("flops") == StringTable::kNoString) return {};
  return Efforts(run, ops, gpu).find();
}

}  // namespace laptime
