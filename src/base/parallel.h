// Runs body(i) for i in [0, count) on up to hardware_concurrency threads, which take indexes one by
// one. If the system refuses threads, fewer run, down to the caller's own. Contract: bodies touch
// disjoint data, and the call returns when all are done. The first exception of a body ends the
// loop and is thrown again here. For reading runs, never inside a profiled program.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace laptime {

template <typename Body>
void parallel_for(std::size_t count, const Body& body) {
  const std::size_t workers =
      std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&]() noexcept {
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    threads.reserve(workers);
    for (std::size_t w = 1; w < workers; ++w) threads.emplace_back(work);
  } catch (const std::system_error&) {  // the limit of threads is reached
  } catch (const std::bad_alloc&) {
  }
  work();
  for (auto& t : threads) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace laptime
