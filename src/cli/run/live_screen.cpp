#include "cli/run/live_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>

#include "cli/run/first_screen.h"
#include "cli/standard_streams.h"
#include "tables/run/run_facts.h"
#include "trace/analysis.h"
#include "trace/run/run.h"

namespace laptime {

namespace {

constexpr double kFirstAfter = 2, kLeastRest = 1;  // seconds
constexpr double kRestTimes = 50;                  // times the duration of reading and drawing
constexpr unsigned kFewestRows = 16;               // of a terminal

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The screen of the records so far. Empty if the run cannot be read yet.
std::string screen_now(const std::string& folder, const std::string& file) {
  const auto run = load_run(folder);
  if (!run || run->processes.empty()) return "";
  TerminalStyle style = style_for(STDERR_FILENO);
  style.directory = run_directory(*run);
  return first_screen(Analysis(*run), file, style);
}

}  // namespace

std::unique_ptr<LiveScreen> LiveScreen::start(std::string folder, std::string file) {
  if (::isatty(STDERR_FILENO) != 1) return nullptr;
  return std::unique_ptr<LiveScreen>(new LiveScreen(std::move(folder), std::move(file)));
}

LiveScreen::LiveScreen(std::string folder, std::string file)
    : folder_(std::move(folder)), file_(std::move(file)) {
  // The thread that waits for the program handles signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LiveScreen::~LiveScreen() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (height_ > 0)
    to_stderr(
        fmt::format("\x1b"
                    "7\x1b[r\x1b[{};1H\x1b[J\x1b"
                    "8",
                    rows_ - height_ + 1));
}

void LiveScreen::work() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);  // of this thread
  for (double seconds = kFirstAfter; rest(seconds);) {
    const Clock::time_point begin = Clock::now();
    try {
      if (const std::string text = screen_now(folder_, file_); !text.empty()) draw(text);
    } catch (const std::exception&) {
      return;  // out of memory: the program needs it
    }
    seconds = std::max(kLeastRest, kRestTimes * seconds_since(begin));
  }
}

bool LiveScreen::rest(double seconds) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return ended_; });
}

// The terminal scrolls only the lines above, so the program's output stays there.
void LiveScreen::draw(const std::string& text) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < kFewestRows) return;
  std::string out;
  if (rows_ != size.ws_row) {
    rows_ = size.ws_row;
    height_ = std::min<unsigned>(kFirstScreenLines, rows_ / 2);
    out += fmt::format(
        "\x1b[r{0}\x1b[{1}A\x1b"
        "7\x1b[1;{2}r\x1b"
        "8",
        std::string(height_, '\n'), height_, rows_ - height_);
  }
  out +=
      "\x1b"
      "7\x1b[?7l";
  std::size_t at = text.find_first_not_of('\n');
  for (unsigned line = 0; line < height_; ++line) {
    const std::size_t end = at < text.size() ? std::min(text.find('\n', at), text.size()) : at;
    out += fmt::format("\x1b[{};1H\x1b[2K{}", rows_ - height_ + 1 + line,
                       at < text.size() ? text.substr(at, end - at) : "");
    at = std::min(end, text.size()) + 1;
  }
  to_stderr(out +
            "\x1b[?7h\x1b"
            "8");
}

}  // namespace laptime
