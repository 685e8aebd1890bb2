#include "cli/progress_line.h"

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include "cli/standard_streams.h"

namespace laptime {

namespace {

constexpr std::chrono::seconds kLong{1};

}  // namespace

ProgressLine::ProgressLine(std::string text) : text_(std::move(text)) {
  if (::isatty(STDERR_FILENO) != 1) return;
  // The working thread handles signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // no thread can be made: no line is shown
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ProgressLine::work() {
  std::unique_lock lock(mutex_);
  if (wake_.wait_for(lock, kLong, [this] { return ended_; })) return;
  to_stderr(text_);
  wake_.wait(lock, [this] { return ended_; });
  to_stderr("\r\x1b[K");
}

}  // namespace laptime
