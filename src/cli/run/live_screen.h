// `laptime run --live`: the first screen while the program runs, redrawn in the last lines of the
// terminal. The program's output scrolls above it.
//
// A thread of low priority reads the run's folder. It then rests 50 times as long as the reading
// took, so it uses at most 2 % of one CPU.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace laptime {

class LiveScreen {
 public:
  // Null if stderr is not a terminal. `folder`: where the run is recorded. `file`: the name under
  // which the user will find the run.
  static std::unique_ptr<LiveScreen> start(std::string folder, std::string file);
  // Clears the lines and releases the terminal.
  ~LiveScreen();

 private:
  LiveScreen(std::string folder, std::string file);
  void work();
  bool rest(double seconds);  // false: the run has ended
  void draw(const std::string& text);

  std::string folder_, file_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  unsigned rows_ = 0,
           height_ = 0;  // of the terminal, and of the lines at its end; 0: nothing is drawn
  std::thread thread_;
};

}  // namespace laptime
