#include "collect/cuda/buffer_pool.h"

#include <sys/mman.h>
#include <cstring>

namespace laptime::cuda {

void BufferPool::prepare(std::size_t buffers) {
  while (made_.load() < buffers) {
    std::uint8_t* const buffer = make();
    if (!buffer) return;
    put(buffer);
  }
}

std::uint8_t* BufferPool::make() {
  if (made_.fetch_add(1) >= kMostBuffers) {
    made_.fetch_sub(1);
    return nullptr;
  }
  void* const pages = ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (pages != MAP_FAILED) return static_cast<std::uint8_t*>(pages);
  made_.fetch_sub(1);
  return nullptr;
}

std::uint8_t* BufferPool::take() {
  for (std::atomic<std::uint8_t*>& place : free_)
    if (place.load(std::memory_order_relaxed))
      if (std::uint8_t* const buffer = place.exchange(nullptr, std::memory_order_acquire))
        return buffer;
  return make();
}

void BufferPool::put_back(std::uint8_t* buffer, std::size_t used) {
  std::memset(buffer, 0, used < kBufferBytes ? used : kBufferBytes);
  put(buffer);
}

// There are as many slots as buffers, so one is free.
void BufferPool::put(std::uint8_t* buffer) {
  for (std::atomic<std::uint8_t*>& place : free_) {
    std::uint8_t* expected = nullptr;
    if (place.compare_exchange_strong(expected, buffer, std::memory_order_release,
                                      std::memory_order_relaxed))
      return;
  }
}

}  // namespace laptime::cuda
