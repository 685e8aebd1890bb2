// Runs body(i) for i in [0, count) on up to hardware_concurrency threads, handing out indexes one by one. Contract:
// bodies touch disjoint data and do not throw; the call returns when all are done. For reading runs, never inside a
// profiled program.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace laptime {

template <typename Body>
void parallel_for(std::size_t count, const Body& body) {
  const std::size_t workers = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t w = 1; w < workers; ++w) threads.emplace_back(work);
  work();
  for (auto& t : threads) t.join();
}

}  // namespace laptime
