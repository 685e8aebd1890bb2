#include "collect/steps/interval_clock.h"

#include <pthread.h>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/os/no_signals.h"
#include "collect/steps/step_pulse.h"
#include "format/names.h"
#include "record/collector.h"

namespace laptime::steps {

namespace {

// The steps of this process, for all clocks. A clock that is about to decide sets its flag, then
// checks whether a step has ended. The thread that ends a step counts it, then checks the flag. So
// at least one of them sees the other.
struct Shared {
  StepPulse steps;
  std::atomic<bool> clock_decides{false}, steps_record{false};
};
Shared shared;

class IntervalClock {
 public:
  explicit IntervalClock(IntervalPlan plan) : plan_(std::move(plan)), turned_(ticks()) {}

  void run() {
    std::unique_lock lock(mutex_);
    turned_ = ticks();
    others_ = plan_.others();
    shared.steps.forget_lengths();
    shared.clock_decides = true;
    begin_ = turned_;
    if (!plan_.leaves_no_trace) put_begin();
    if (plan_.budget.first()) switch_on();
    begun_ = true;
    changed_.notify_all();
    while (!stop_) {
      if (!stopping_.wait_for(lock, plan_.period, [this] { return stop_; })) turn();
    }
    leave();
    over_ = true;
    changed_.notify_all();
  }

  // Returns after the first interval has begun, if that is recorded at once.
  void await_begin() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return begun_; });
  }

  // Two threads may call this at once.
  IntervalSums stop() {
    std::unique_lock lock(mutex_);
    stop_ = true;
    stopping_.notify_all();
    changed_.wait(lock, [this] { return over_; });
    return sums_;
  }

  // Lets the steps decide. False: they decide already.
  bool hand_over() {
    const std::lock_guard lock(mutex_);
    return leave();
  }

  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }

 private:
  Turn pass() {
    const std::uint64_t now = ticks(), events = count(), others = plan_.others();
    const bool on = shared.clock_decides ? on_ : shared.steps_record.load();
    const Turn turn{static_cast<double>(now - turned_), on,
                    on ? plan_.event_ticks * static_cast<double>(events - events_) : 0,
                    static_cast<double>(others - others_)};
    turned_ = now;
    events_ = events;
    others_ = others;
    return turn;
  }

  void turn() {
    if (shared.clock_decides)
      decide(pass());
    else
      listen();
  }

  void decide(const Turn& passed) {
    if (plan_.budget.after(passed, switching_) && record::on()) {
      switch_on();
    } else {
      sums_.rested = true;
      switch_off();
    }
  }

  void listen() {
    const Turn passed = pass();
    if (const std::uint64_t steps = shared.steps.counted(); steps != steps_) {
      steps_ = steps;
      quiet_ = {};
      quiet_turns_ = 0;
      return;
    }
    quiet_ = {quiet_.wall + passed.wall, passed.recorded, quiet_.counted + passed.counted,
              quiet_.others + passed.others};
    if (++quiet_turns_ >= plan_.quiet_turns &&
        ticks() - shared.steps.last_end() >= kQuietSteps * shared.steps.median())
      take_over();
  }

  void take_over() {
    shared.clock_decides = true;
    if (shared.steps.counted() != steps_) {
      shared.clock_decides = false;
      return;
    }
    ++sums_.took_over;
    on_ = quiet_.recorded;
    sums_.recorded |= on_;
    put_state(shared.steps.last_end(), on_ ? kRecorded : kResting);
    if (on_)
      for (const auto& off : plan_.only_steps_switch_on) off();
    decide(quiet_);
  }

  // False: steps decide already.
  bool leave() {
    if (!shared.clock_decides) return false;
    plan_.budget.end(pass(), switching_);
    switch_off();
    if (has_state_) put_state(ticks(), kEnded);
    sums_.spent += plan_.budget.spent();
    plan_.budget = plan_.budget.restarted();
    shared.clock_decides = false;
    return true;
  }

  void switch_on() {
    const std::uint64_t began = ticks();
    std::uint64_t last = began;  // after this, all sources record
    for (const ClockedSource& source : plan_.sources) {
      last = ticks();
      source.on();
    }
    if (std::exchange(on_, true)) return;
    sums_.recorded = true;
    switched_on_ = ticks() - began;
    events_ = count();
    if (!has_state_) put_begin();
    put_state(last, kRecorded);
  }

  void switch_off() {
    if (!std::exchange(on_, false)) return;
    const std::uint64_t began = ticks();
    for (auto source = plan_.sources.rbegin(); source != plan_.sources.rend(); ++source)
      source->off();
    const std::uint64_t ended = ticks();
    switching_ = static_cast<double>(switched_on_ + (ended - began));
    put_state(ended, kResting);
  }

  std::uint64_t count() const {
    std::uint64_t events = 0;
    for (const ClockedSource& source : plan_.sources) events += source.events();
    return events;
  }

  void put_begin() { put_state(begin_, kResting); }

  void put_state(std::uint64_t time, double state) {
    has_state_ = true;
    record::put_value(time, record::intern(value_name::kOpsRecorded), state);
  }

  std::mutex mutex_;  // the thread holds it except while it waits
  std::condition_variable stopping_, changed_;
  bool begun_ = false, stop_ = false, over_ = false, has_state_ = false;
  IntervalPlan plan_;
  std::uint64_t begin_ = 0, turned_, others_ = 0, events_ = 0, switched_on_ = 0;
  double switching_ = 0;      // ticks that the last switch took
  bool on_ = false;           // while the clock decides
  std::uint64_t steps_ = 0;   // steps that had ended at the last turn
  unsigned quiet_turns_ = 0;  // turns since the last step's end
  Turn quiet_{};              // what passed in these turns
  IntervalSums sums_;
};

// The clock of this process. A forked child abandons its parent's object.
struct Running {
  std::mutex mutex;
  std::shared_ptr<IntervalClock> clock;
};
Running* running = new Running;

std::shared_ptr<IntervalClock> running_clock() {
  const std::lock_guard lock(running->mutex);
  return running->clock;
}

void at_process_exit() { (void)stop_intervals(); }

// Before a fork, handlers run in the reverse order of their registration. So the clock's lock is
// taken first, then the locks that its turn takes.
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
        [] {
          running = new Running;
          shared.clock_decides = shared.steps_record = false;
        });
    // torch's own objects are destroyed later.
    return std::atexit(&at_process_exit) == 0;
  }();
  (void)watched;
}

bool start_thread(std::shared_ptr<IntervalClock> clock) {
  const NoSignals meanwhile;
  try {
    std::thread([clock = std::move(clock)] {
      ::pthread_setname_np(::pthread_self(), "laptime-clock");
      clock->run();
    }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

bool start_intervals(IntervalPlan plan) {
  watch_process();
  const std::lock_guard lock(running->mutex);
  if (running->clock) return false;
  auto clock = std::make_shared<IntervalClock>(std::move(plan));
  if (!start_thread(clock)) return false;
  clock->await_begin();
  running->clock = std::move(clock);
  return true;
}

bool end_step() {
  shared.steps.count();
  bool decided = false;
  if (shared.clock_decides)
    if (const auto clock = running_clock()) decided = clock->hand_over();
  shared.steps.ended(ticks());
  return decided;
}

void steps_record(bool on) { shared.steps_record = on; }

std::optional<IntervalSums> stop_intervals() {
  const std::shared_ptr<IntervalClock> clock = running_clock();
  if (!clock) return std::nullopt;
  const IntervalSums sums = clock->stop();
  const std::lock_guard lock(running->mutex);
  if (running->clock == clock) running->clock.reset();
  return sums;
}

}  // namespace laptime::steps
