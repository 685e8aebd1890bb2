// Lines of kernels that only their name identifies: those of a compiler that reports the source of
// each (XLA) and launches them on its own threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace laptime::cuda {

class KernelCallSites {
 public:
  static KernelCallSites& get() {
    static auto* const made =
        new KernelCallSites;  // never destroyed: CUPTI delivers until the process is gone
    return *made;
  }

  // `call_site`: record::add_call_site. If one name gets two call sites, neither is used.
  void add(std::string_view kernel, std::uint32_t call_site) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = call_sites_.try_emplace(std::string(kernel), call_site);
    if (!is_new && known->second != call_site) known->second = 0;
    version_.fetch_add(1, std::memory_order_release);
  }
  // 0: unknown.
  std::uint32_t find(std::string_view kernel) const {
    const std::lock_guard lock(mutex_);
    const auto known = call_sites_.find(kernel);
    return known == call_sites_.end() ? 0 : known->second;
  }
  // Rises with each addition.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint32_t, std::less<>> call_sites_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace laptime::cuda
