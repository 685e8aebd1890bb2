#include "collect/steps/interval_clock.h"

#include <gtest/gtest.h>
#include <atomic>
#include <memory>
#include <thread>

#include "record/testing/recording.h"

namespace laptime::steps {
namespace {

using namespace std::chrono_literals;

// A source that counts its switches. Shared with the clock, because a failing test may leave the
// clock running.
struct Watched : std::enable_shared_from_this<Watched> {
  std::atomic<int> switched_on{0}, switched_off{0};
  std::atomic<bool> on{false};

  ClockedSource source() {
    const auto self = shared_from_this();
    return {[self] { self->on = true, ++self->switched_on; },
            [self] { self->on = false, ++self->switched_off; }, [] { return std::uint64_t{0}; }};
  }
};

IntervalPlan plan(std::vector<ClockedSource> sources, double share, unsigned turns_before) {
  return {std::move(sources), IntervalBudget(share, turns_before), 1.0, 1ms};
}

template <typename Reached>
bool comes(Reached reached, int limit_ms = 20'000) {
  for (int i = 0; i < limit_ms && !reached(); ++i) std::this_thread::sleep_for(1ms);
  return reached();
}

// In a recording, because otherwise nothing is switched on.
class IntervalClock : public RecorderTest {
 protected:
  IntervalClock() { EXPECT_EQ(laptime_start(path_.c_str(), nullptr), 0); }
  ~IntervalClock() override { laptime_stop(); }
};

TEST_F(IntervalClock, NothingRunsBeforeItIsStarted) { EXPECT_FALSE(stop_intervals()); }

TEST_F(IntervalClock, TheFirstIntervalIsOnWhenStartReturns) {
  const auto watched = std::make_shared<Watched>();
  IntervalPlan slow = plan({watched->source()}, 0.05, 0);
  slow.period = 1h;
  ASSERT_TRUE(start_intervals(std::move(slow)));
  EXPECT_TRUE(watched->on);
  const auto sums = stop_intervals();
  ASSERT_TRUE(sums);
  EXPECT_FALSE(watched->on);
  EXPECT_TRUE(sums->recorded);
  EXPECT_GT(sums->spent, 0);
  EXPECT_FALSE(stop_intervals());
}

TEST_F(IntervalClock, RestsUntilAStretchIsPaidFor) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(plan({watched->source()}, 0.1, 2)));
  EXPECT_EQ(watched->switched_off, 0);
  EXPECT_TRUE(comes([&] { return watched->switched_off >= 3; }));
  const auto sums = stop_intervals();
  EXPECT_TRUE(sums->recorded && sums->rested);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted counted = count(path_);
  EXPECT_GE(counted.values, 2u + 2 * 3) << "0 at both ends, and each interval's begin and end";
}

TEST_F(IntervalClock, SourcesGoOnInOrderAndOffInTheOther) {
  const auto order = std::make_shared<std::string>();
  std::vector<ClockedSource> sources;
  for (const char name : {'a', 'b'})
    sources.push_back({[=] { *order += name; },
                       [=] { *order += static_cast<char>(name - 'a' + 'A'); },
                       [] { return std::uint64_t{0}; }});
  IntervalPlan slow = plan(std::move(sources), 0.05, 0);
  slow.period = 1h;
  ASSERT_TRUE(start_intervals(std::move(slow)));
  ASSERT_TRUE(stop_intervals());
  EXPECT_EQ(*order, "abBA");
}

TEST_F(IntervalClock, WithoutARecordingNothingStaysOn) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_EQ(laptime_stop(), 0);
  ASSERT_TRUE(start_intervals(plan({watched->source()}, 1.0, 1)));
  EXPECT_FALSE(comes([&] { return watched->switched_on > 0; }, 50));
  ASSERT_TRUE(stop_intervals());
}

TEST_F(IntervalClock, OnlyOneRuns) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(plan({watched->source()}, 0.05, 1000)));
  EXPECT_FALSE(start_intervals(plan({watched->source()}, 0.05, 1000)));
  const auto sums = stop_intervals();
  EXPECT_FALSE(sums->recorded);
  EXPECT_EQ(watched->switched_on, 0);
}

TEST_F(IntervalClock, StopsForTwoThreadsAtOnce) {
  for (int i = 0; i < 50; ++i) {
    const auto watched = std::make_shared<Watched>();
    ASSERT_TRUE(start_intervals(plan({watched->source()}, 0.5, 0)));
    std::thread other([] { (void)stop_intervals(); });
    (void)stop_intervals();
    EXPECT_FALSE(watched->on);
    other.join();
  }
}

IntervalPlan silent_plan(const std::shared_ptr<Watched>& watched, unsigned turns_before) {
  IntervalPlan silent = plan({watched->source()}, 0.1, turns_before);
  silent.leaves_no_trace = true;
  return silent;
}

TEST_F(IntervalClock, MayLeaveNoTraceBeforeTheFirstInterval) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(silent_plan(watched, 1'000'000)));
  std::this_thread::sleep_for(5ms);
  ASSERT_TRUE(stop_intervals());
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(count(path_).values, 0u);
}

TEST_F(IntervalClock, AFirstIntervalHasTheBeginOfItsClock) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(silent_plan(watched, 2)));
  EXPECT_TRUE(comes([&] { return watched->switched_off >= 1; }));
  ASSERT_TRUE(stop_intervals());
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_GE(count(path_).values, 4u) << "0 at the begin, the interval's begin and end, the end";
}

// Switches sources as steps do.
void switch_by_steps(const std::vector<ClockedSource>& sources, bool on) {
  for (const ClockedSource& source : sources) on ? source.on() : source.off();
  steps_record(on);
}

// A plan in which steps decide after the first one has ended.
IntervalPlan stepping_plan(std::vector<ClockedSource> sources, unsigned quiet_turns) {
  IntervalPlan made = plan(std::move(sources), 0.1, 1000);
  made.quiet_turns = quiet_turns;
  return made;
}

TEST_F(IntervalClock, TheFirstStepTakesOverAndTheClockListens) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(plan({watched->source()}, 0.5, 0)));
  EXPECT_TRUE(end_step()) << "the clock decided until here";
  EXPECT_FALSE(watched->on);
  EXPECT_FALSE(end_step());
  const int before = watched->switched_on;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(watched->switched_on, before);
  const auto sums = stop_intervals();
  EXPECT_TRUE(sums->recorded);
  EXPECT_GT(sums->spent, 0);
  EXPECT_EQ(sums->took_over, 0u);
}

TEST_F(IntervalClock, WhatStepsLeaveOnIsSwitchedOffWhenNoneEndsAnyMore) {
  const auto watched = std::make_shared<Watched>();
  std::atomic<int> memory_off{0};
  IntervalPlan plan = stepping_plan({watched->source()}, 3);
  plan.only_steps_switch_on.push_back([&] { ++memory_off; });
  ASSERT_TRUE(start_intervals(std::move(plan)));
  ASSERT_TRUE(end_step());
  switch_by_steps({watched->source()}, true);
  EXPECT_TRUE(comes([&] { return watched->switched_off >= 1; })) << "by the clock";
  EXPECT_TRUE(comes([&] { return watched->switched_on >= 3; })) << "and it goes on in intervals";
  EXPECT_TRUE(end_step()) << "and the end of the next step reports it";
  EXPECT_FALSE(watched->on);
  EXPECT_EQ(memory_off, 1);
  EXPECT_FALSE(end_step());
  EXPECT_EQ(stop_intervals()->took_over, 1u);
}

TEST_F(IntervalClock, StepsThatTakeLongAreNotQuiet) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(stepping_plan({watched->source()}, 1)));
  bool cut = true;
  for (int i = 0; i < 100 && cut; ++i) {  // each takes many turns of the clock
    std::this_thread::sleep_for(30ms);
    cut = end_step();
  }
  EXPECT_FALSE(cut) << "once their median is known";
  ASSERT_TRUE(stop_intervals());
}

TEST_F(IntervalClock, StepsThatEndAllTheTimeAreNeverCut) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(stepping_plan({watched->source()}, 20)));
  (void)end_step();
  for (int i = 0; i < 2000; ++i) {
    switch_by_steps({watched->source()}, i % 2 == 0);
    const bool was_on = watched->on, cut = end_step();  // if the machine was busy for some turns
    EXPECT_TRUE(cut || was_on == (i % 2 == 0));
  }
  ASSERT_TRUE(stop_intervals());
}

TEST_F(IntervalClock, AForkedChildHasNoneAndItsParentGoesOn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support new threads in a child forked from a process "
                  "with threads";
#endif
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_intervals(plan({watched->source()}, 1.0, 0)));
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool none = !stop_intervals();
#if defined(__SANITIZE_ADDRESS__)
      // AddressSanitizer's allocator, before LLVM 17, does not handle forks and may stay locked
      // here
      _exit(none ? 7 : 1);
#endif
      const auto own = std::make_shared<Watched>();
      const bool starts = start_intervals(plan({own->source()}, 1.0, 0)) && own->switched_on > 0;
      const bool stops = stop_intervals().has_value() && !own->on;
      _exit(none && starts && stops ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  const int before = watched->switched_on;
  EXPECT_TRUE(comes([&] { return watched->switched_on > before; }));
  EXPECT_TRUE(stop_intervals());
  EXPECT_FALSE(watched->on);
}

}  // namespace
}  // namespace laptime::steps
