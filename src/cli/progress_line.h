// One line on stderr during long work, on a terminal only. It appears after a second, and is
// removed at the end.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace laptime {

class ProgressLine {
 public:
  explicit ProgressLine(std::string text);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void work();

  const std::string text_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace laptime
