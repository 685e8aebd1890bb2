#include "record/lost_pages.h"

#include <sys/mman.h>
#include <csignal>

#include "format/part.h"

namespace laptime::record {

namespace {

std::atomic<std::uintptr_t> watched_begin{0}, watched_end{0};
std::atomic<std::atomic<int>*> flag{nullptr};
std::atomic<int> flag_value{0};
struct sigaction before;

bool replace_lost_pages(std::uintptr_t at) {
  const std::uintptr_t begin = watched_begin.load(), end = watched_end.load();
  if (at < begin || at >= end) return false;
  const std::uintptr_t from = at < begin + kPageSize ? begin : begin + kPageSize;
  constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ | PROT_WRITE, kHow, -1, 0) ==
      MAP_FAILED)
    return false;
  int none = 0;
  flag.load()->compare_exchange_strong(none, flag_value.load());
  return true;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  if (info->si_code > 0 && replace_lost_pages(reinterpret_cast<std::uintptr_t>(info->si_addr)))
    return;
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(number);
  ::sigaction(SIGBUS, &before, nullptr);
  if (info->si_code <= 0) ::raise(number);  // sent by a process; a real fault repeats by itself
}

bool is_installed() {
  struct sigaction now{};
  return ::sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
         now.sa_sigaction == &on_bus_error;
}

void install() {
  if (is_installed()) return;
  ::sigaction(SIGBUS, nullptr, &before);
  if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN)
    return;  // the kernel does not ignore a fault
  struct sigaction ours{};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace

void watch_pages(void* mapping, std::size_t size, std::atomic<int>* on_lost_page, int error) {
  flag.store(on_lost_page);
  flag_value.store(error);
  watched_end.store(reinterpret_cast<std::uintptr_t>(mapping) + size);
  watched_begin.store(reinterpret_cast<std::uintptr_t>(mapping));
  install();
}

void stop_watching_pages() {
  watched_end.store(0);
  watched_begin.store(0);
  if (is_installed()) ::sigaction(SIGBUS, &before, nullptr);
}

}  // namespace laptime::record
