// One line on stderr while something takes long: written after a second, and taken away when it is
// done. Only on a terminal.
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
