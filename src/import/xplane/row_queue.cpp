#include "import/xplane/row_queue.h"

#include <system_error>
#include <utility>

namespace laptime {

void RowQueue::add(std::uint32_t track, SpanColumns&& rows) {
  if (rows.size() == 0) return;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // the limit of threads is reached
      return encode({track, std::move(rows)});
    }
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return batches_.size() < kWaiting; });
  batches_.push_back({track, std::move(rows)});
  changed_.notify_all();
}

void RowQueue::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status RowQueue::finish() {
  stop();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return status_;
}

void RowQueue::encode(const Batch& batch) {
  if (status_ && !failure_) status_ = writer_.add_rows(part_, batch.track, batch.rows);
}

void RowQueue::work() noexcept {
  for (;;) {
    Batch batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return done_ || !batches_.empty(); });
      if (batches_.empty()) return;
      batch = std::move(batches_.front());
      batches_.pop_front();
      changed_.notify_all();
    }
    try {
      encode(batch);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
}

}  // namespace laptime
