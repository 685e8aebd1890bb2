// Launch configs of all parts of a run, each once. Id 0 is the unknown one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "format/facts.h"

namespace laptime {

class LaunchConfigs {
 public:
  LaunchConfigs() : configs_(1) {}

  std::uint32_t add(const LaunchConfig& config) {
    const auto [it, is_new] = ids_.try_emplace(config, static_cast<std::uint32_t>(configs_.size()));
    if (is_new) configs_.push_back(config);
    return it->second;
  }
  // Null for 0 and for an id that is none.
  const LaunchConfig* find(std::uint32_t id) const {
    return id != 0 && id < configs_.size() ? &configs_[id] : nullptr;
  }

 private:
  std::vector<LaunchConfig> configs_;
  std::map<LaunchConfig, std::uint32_t> ids_;
};

}  // namespace laptime
