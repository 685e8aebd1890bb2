// Encodes rows on a second thread while the importer reads on. At most kWaiting batches wait, so
// memory does not grow with the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/status.h"
#include "format/columns.h"
#include "format/writer.h"

namespace laptime {

class RowQueue {
 public:
  RowQueue(LapWriter& writer, std::uint32_t part) : writer_(writer), part_(part) {}
  RowQueue(const RowQueue&) = delete;
  ~RowQueue() { stop(); }

  void add(std::uint32_t track, SpanColumns&& rows);
  // Waits for all rows. The writer belongs to the caller again.
  Status finish();

 private:
  struct Batch {
    std::uint32_t track;
    SpanColumns rows;
  };
  static constexpr std::size_t kWaiting = 4;

  void stop();
  void work() noexcept;
  void encode(const Batch& batch);

  LapWriter& writer_;
  const std::uint32_t part_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  bool done_ = false;
  Status status_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace laptime
