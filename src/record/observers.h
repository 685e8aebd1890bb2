// Functions that the recorder calls at certain events. Adding is rare and permanent. Calling takes
// no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace laptime::record {

inline constexpr std::size_t kMaxObservers = 8;

template <typename Observer>
class Observers {
 public:
  // Adding an observer again has no effect. Past kMaxObservers nothing is added.
  void add(Observer observer) noexcept {
    for (std::atomic<Observer>& call_site : call_sites_) {
      Observer expected = nullptr;
      if (call_site.compare_exchange_strong(expected, observer) || expected == observer) return;
    }
  }
  template <typename... Arguments>
  void call(Arguments... arguments) const noexcept {
    for (const std::atomic<Observer>& call_site : call_sites_)
      if (const Observer observer = call_site.load(std::memory_order_relaxed))
        observer(arguments...);
  }

 private:
  std::array<std::atomic<Observer>, kMaxObservers> call_sites_{};
};

}  // namespace laptime::record
