#include "collect/torch/stretch_clock.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <utility>

#include "record/collector.h"

namespace laptime::torch {

namespace {

class StretchClock {
 public:
  explicit StretchClock(StretchPlan plan) : plan_(std::move(plan)), turned_(ticks()) {}

  void run() {
    std::unique_lock lock(mutex_);
    turned_ = ticks();
    others_ = plan_.others();
    tell(turned_, kResting);
    if (plan_.budget.first()) switch_on();
    begun_ = true;
    changed_.notify_all();
    while (!stop_) {
      if (!asked_.wait_for(lock, plan_.period, [this] { return stop_; })) turn();
    }
    end();
    over_ = true;
    changed_.notify_all();
  }

  // Where the first stretch is recorded at once, that is when this returns.
  void await_begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return begun_; });
  }

  // Also by two threads at once.
  StretchSums stop() {
    std::unique_lock lock(mutex_);
    stop_ = true;
    asked_.notify_all();
    changed_.wait(lock, [this] { return over_; });
    return sums_;
  }

  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }

 private:
  Turn pass() {
    const std::uint64_t now = ticks(), events = count(), others = plan_.others();
    const Turn turn{static_cast<double>(now - turned_), on_, on_ ? plan_.event_ticks * static_cast<double>(events - events_) : 0, static_cast<double>(others - others_)};
    turned_ = now;
    events_ = events;
    others_ = others;
    return turn;
  }

  void turn() {
    const bool wanted = plan_.budget.after(pass(), switching_) && record::on();
    if (wanted)
      switch_on();
    else
      switch_off();
  }

  void end() {
    plan_.budget.end(pass(), switching_);
    switch_off();
    tell(ticks(), kEnded);
    sums_.spent = plan_.budget.spent();
  }

  void switch_on() {
    const std::uint64_t began = ticks();
    std::uint64_t last = began;  // what the last source sees from here on is recorded by all
    for (const ClockedSource& source : plan_.sources) {
      last = ticks();
      source.on();
    }
    if (std::exchange(on_, true)) return;
    sums_.recorded = true;
    switched_on_ = ticks() - began;
    events_ = count();
    tell(last, kRecorded);
  }

  void switch_off() {
    sums_.rested |= !stop_;
    if (!std::exchange(on_, false)) return;
    const std::uint64_t began = ticks();
    for (auto source = plan_.sources.rbegin(); source != plan_.sources.rend(); ++source) source->off();
    const std::uint64_t ended = ticks();
    switching_ = static_cast<double>(switched_on_ + (ended - began));
    tell(ended, kResting);
  }

  std::uint64_t count() const {
    std::uint64_t events = 0;
    for (const ClockedSource& source : plan_.sources) events += source.events();
    return events;
  }

  static void tell(std::uint64_t time, double state) { record::put_value(time, record::intern(kStretchValue), state); }

  std::mutex mutex_;  // held by the thread but for its waits
  std::condition_variable asked_, changed_;
  bool begun_ = false, stop_ = false, over_ = false;
  StretchPlan plan_;
  std::uint64_t turned_, others_ = 0, events_ = 0, switched_on_ = 0;
  double switching_ = 0;  // ticks, the last time
  bool on_ = false;
  StretchSums sums_;
};

// Of this process. A forked child leaves its parent's as it lies there.
struct Running {
  std::mutex mutex;
  std::shared_ptr<StretchClock> clock;
};
Running* running = new Running;

void at_process_exit() { (void)stop_stretches(); }

// Before a fork handlers run in the reverse order of their registration: the clock's lock is taken first, then those that its turn takes.
void watch_process() {
  static const bool watched = [] {
    ::pthread_atfork(
        [] {
          running->mutex.lock();
          if (running->clock) running->clock->before_fork();
        },
        [] {
          if (running->clock) running->clock->after_fork_in_parent();
          running->mutex.unlock();
        },
        [] { running = new Running; });
    // torch's own objects go later.
    return std::atexit(&at_process_exit) == 0;
  }();
  (void)watched;
}

// The program's signals are not for this thread.
bool start_thread(std::shared_ptr<StretchClock> clock) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread([clock = std::move(clock)] {
      ::pthread_setname_np(::pthread_self(), "laptime-clock");
      clock->run();
    }).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

bool start_stretches(StretchPlan plan) {
  watch_process();
  const std::lock_guard lock(running->mutex);
  if (running->clock) return false;
  auto clock = std::make_shared<StretchClock>(std::move(plan));
  if (!start_thread(clock)) return false;
  clock->await_begin();
  running->clock = std::move(clock);
  return true;
}

std::optional<StretchSums> stop_stretches() {
  std::shared_ptr<StretchClock> clock;
  {
    const std::lock_guard lock(running->mutex);
    clock = running->clock;
  }
  if (!clock) return std::nullopt;
  const StretchSums sums = clock->stop();
  const std::lock_guard lock(running->mutex);
  if (running->clock == clock) running->clock.reset();
  return sums;
}

}  // namespace laptime::torch
