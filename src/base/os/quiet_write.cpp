#include "base/os/quiet_write.h"

#include <csignal>
#include <ctime>

#include "base/os/file.h"

namespace laptime {

namespace {

class WithoutWriteSignals {
 public:
  WithoutWriteSignals() {
    sigset_t pending;
    sigemptyset(&ours_);
    sigpending(&pending);
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (!sigismember(&pending, signal)) sigaddset(&ours_, signal);
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  ~WithoutWriteSignals() {
    constexpr timespec kNow{};
    while (::sigtimedwait(&ours_, nullptr, &kNow) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t ours_, before_;  // a signal that was pending before stays pending
};

}  // namespace

int write_quietly(int fd, ByteView data) {
  const WithoutWriteSignals quiet;
  return write_fully(fd, data);
}

}  // namespace laptime
