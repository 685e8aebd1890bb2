// The memory that CUPTI writes its records into. Its pages are zeroed and touched in advance, so
// that neither CUPTI nor the kernel stops the program for them.
//
// Assumption: CUPTI requests buffers on the program's threads and returns them on any. Contract:
// take and put_back take no lock. take makes system calls only when more buffers are in use than
// ever before. Pages are never unmapped: CUPTI delivers its last buffers when the process is nearly
// gone.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laptime::cuda {

class BufferPool {
 public:
  static constexpr std::size_t kBufferBytes = 2u << 20;  // 9,700 kernels
  static constexpr std::size_t kMostBuffers = 48;

  void prepare(std::size_t buffers);
  // Null if all are in use or there is no memory.
  std::uint8_t* take();
  // `used`: bytes from the front that may not be zero.
  void put_back(std::uint8_t* buffer, std::size_t used);

 private:
  std::uint8_t* make();
  void put(std::uint8_t* buffer);

  std::array<std::atomic<std::uint8_t*>, kMostBuffers> free_{};
  std::atomic<std::size_t> made_{0};
};

}  // namespace laptime::cuda
