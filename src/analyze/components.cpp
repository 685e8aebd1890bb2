#include "analyze/components.h"

#include <algorithm>

namespace laptime {

namespace {

constexpr std::uint32_t kUnseen = ~0u;

// Tarjan's algorithm with its own stack: a hostile graph may be a chain of millions.
class Tarjan {
 public:
  explicit Tarjan(const std::vector<std::vector<std::uint32_t>>& targets)
      : targets_(targets), order_(targets.size(), kUnseen), low_(targets.size()), component_(targets.size(), kUnseen) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t node = 0; node < targets_.size(); ++node)
      if (order_[node] == kUnseen) visit_from(node);
    return std::move(component_);
  }

 private:
  struct Visit {
    std::uint32_t node;
    std::size_t next;
  };

  void enter(std::uint32_t node) {
    order_[node] = low_[node] = seen_++;
    open_.push_back(node);
    visits_.push_back({node, 0});
  }

  void visit_from(std::uint32_t root) {
    enter(root);
    while (!visits_.empty()) {
      auto& [node, next] = visits_.back();
      if (next == targets_[node].size()) {
        leave(node);
        continue;
      }
      const std::uint32_t target = targets_[node][next++];
      if (order_[target] == kUnseen)
        enter(target);
      else if (component_[target] == kUnseen)
        low_[node] = std::min(low_[node], order_[target]);
    }
  }

  void leave(std::uint32_t node) {
    visits_.pop_back();
    if (!visits_.empty()) low_[visits_.back().node] = std::min(low_[visits_.back().node], low_[node]);
    if (low_[node] != order_[node]) return;
    for (std::uint32_t member = kUnseen; member != node;) {
      member = open_.back();
      open_.pop_back();
      component_[member] = components_;
    }
    ++components_;
  }

  const std::vector<std::vector<std::uint32_t>>& targets_;
  std::vector<std::uint32_t> order_, low_, component_, open_;
  std::vector<Visit> visits_;
  std::uint32_t seen_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> find_components(const std::vector<std::vector<std::uint32_t>>& targets) { return Tarjan(targets).run(); }

}  // namespace laptime
