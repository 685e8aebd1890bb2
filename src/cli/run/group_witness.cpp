#include "cli/run/group_witness.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <ctime>

#include "base/os/process.h"

namespace laptime {

namespace {

constexpr timespec kGrace{0, 50'000'000};
constexpr timeval kLongestAnswer{1, 0};
constexpr int kLookMs = 100;

struct Question {
  int signal;     // 0: none
  pid_t program;  // to watch; 0: none
};

bool take_pending(int signal) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  constexpr timespec kNow{};
  if (::sigtimedwait(&only, nullptr, &kGrace) != signal) return false;
  while (signal < SIGRTMIN && ::sigtimedwait(&only, nullptr, &kNow) == signal) {
  }
  return true;
}

void wake_when_continued(pid_t program, int talk) {
  pollfd next{talk, POLLIN, 0};
  while (::poll(&next, 1, kLookMs) == 0) {
    if (is_stopped(static_cast<std::uint32_t>(program))) continue;
    ::kill(::getppid(), SIGCONT);
    return;
  }
}

[[noreturn]] void be_witness(int talk) {
  // Else the caller's pipes would stay open because of this process.
  ::dup2(talk, 0);
  ::close_range(1, ~0u, 0);
  Question question;
  while (::read(0, &question, sizeof question) == sizeof question) {
    if (question.program != 0) {
      wake_when_continued(question.program, 0);
      continue;
    }
    const bool seen = take_pending(question.signal);
    if (::write(0, &seen, sizeof seen) != sizeof seen) break;
  }
  ::_exit(0);
}

}  // namespace

std::optional<GroupWitness> GroupWitness::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &kLongestAnswer, sizeof kLongestAnswer);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return std::nullopt;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    be_witness(theirs.get());
  }
  return GroupWitness(pid, std::move(ours));
}

GroupWitness::~GroupWitness() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool GroupWitness::saw(int signal) {
  const Question question{signal, 0};
  bool seen = false;
  if (::send(talk_.get(), &question, sizeof question, MSG_NOSIGNAL) == sizeof question &&
      ::recv(talk_.get(), &seen, sizeof seen, 0) == sizeof seen)
    return seen;
  talk_.reset();  // a late answer must not count for the next question
  return false;
}

void GroupWitness::wake_me_with(pid_t program) {
  const Question question{0, program};
  (void)!::send(talk_.get(), &question, sizeof question, MSG_NOSIGNAL);
}

}  // namespace laptime
