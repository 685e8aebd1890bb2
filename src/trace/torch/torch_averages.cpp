#include "trace/torch/torch_averages.h"

#include <unordered_map>

#include "trace/ops/call_site_stacks.h"

namespace laptime {

namespace {

constexpr std::uint32_t kMemoryName =
    ~0u;  // instants are named after their device, but are one group

struct GroupKey {
  std::uint32_t name, shapes, stack;
  std::uint32_t sort;  // op, annotation or device work: one name may be all three
  bool operator==(const GroupKey&) const = default;
};
struct GroupHash {
  std::size_t operator()(const GroupKey& key) const {
    std::uint64_t h = (std::uint64_t{key.name} << 32 | key.shapes) * 0x9E37'79B9'7F4A'7C15ull;
    h ^= (std::uint64_t{key.stack} << 8 | key.sort) * 0xC2B2'AE3D'27D4'EB4Full;
    return static_cast<std::size_t>(h ^ h >> 29);
  }
};

// The next event of a name is nearly always in the name's last group. The table is searched only
// otherwise.
class Groups {
 public:
  Groups(const Run& run, TorchGrouping grouping)
      : grouping_(grouping), names_(run.strings.size()), latest_(run.strings.size(), kUnknown) {
    if (grouping.stack_depth > 0) stacks_ = stack_groups(run, grouping.stack_depth);
    std::uint32_t steps = 0;
    for (std::uint32_t id = 0; id < names_.size(); ++id) {
      const bool is_step = run.strings[id].starts_with(kTorchStepPrefix);
      if (is_step && steps == 0) steps = id;
      names_[id] = is_step ? steps : id;
    }
  }

  TorchAverage& at(const TorchEvent& event, std::uint32_t row) {
    const GroupKey key = key_of(event);
    std::uint32_t* const latest = key.name == kMemoryName ? &memory_ : &latest_[key.name];
    if (*latest != kUnknown && keys_[*latest] == key) return averages_[*latest];
    const auto [it, is_new] =
        call_sites_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
      keys_.push_back(key);
      averages_.push_back({.first = row});
    }
    *latest = it->second;
    return averages_[it->second];
  }
  std::vector<TorchAverage> take() { return std::move(averages_); }

 private:
  static constexpr std::uint32_t kUnknown = ~0u;

  GroupKey key_of(const TorchEvent& event) const {
    if (event.is_memory()) return {kMemoryName, 0, 0, 0};
    const std::uint32_t sort = event.on_device ? 2 : event.is_annotation() ? 1 : 0;
    return {names_[event.name], grouping_.by_shapes ? event.shapes : 0,
            stacks_.empty() ? 0 : stacks_[event.call_site], sort};
  }

  const TorchGrouping grouping_;
  std::vector<std::uint32_t> names_, latest_;
  std::vector<std::uint32_t> stacks_;  // by call site; empty: stacks are not compared
  std::uint32_t memory_ = kUnknown;
  std::vector<GroupKey> keys_;
  std::unordered_map<GroupKey, std::uint32_t, GroupHash> call_sites_;
  std::vector<TorchAverage> averages_;
};

}  // namespace

std::vector<TorchAverage> torch_averages(const Run& run, const TorchEvents& events,
                                         TorchGrouping grouping) {
  Groups groups(run, grouping);
  for (std::uint32_t row = 0; row < events.events.size(); ++row) {
    const TorchEvent& event = events.events[row];
    TorchAverage& sum = groups.at(event, row);
    ++sum.calls;
    if (!event.on_device) {
      sum.cpu_ns += event.duration_ns;
      sum.self_cpu_ns += event.self_ns();
    }
    sum.kernel_ns += event.kernel_ns;
    sum.self_kernel_ns += event.self_kernel_ns;
    sum.cpu_bytes += event.cpu_bytes;
    sum.self_cpu_bytes += event.self_cpu_bytes;
    sum.device_bytes += event.device_bytes;
    sum.self_device_bytes += event.self_device_bytes;
    sum.flops += event.flops;
  }
  return groups.take();
}

}  // namespace laptime
