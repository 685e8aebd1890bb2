// The recorder through the public interface, read back through the format's reader.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <random>
#include <thread>

#include "record/collector.h"
#include "record/recorder.h"
#include "record/testing/recording.h"

namespace laptime {
namespace {

TEST_F(RecorderTest, ScopesStepsAndValuesAreAllThere) {
  scopes(10);  // not recording: nothing
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  for (int i = 0; i < 50; ++i) {
    scopes(200);
    {
      const NamedScope named("epoch " + std::to_string(i % 5));
    }
    value("loss", 1.0 / (i + 1));
    step(64);
  }
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_FALSE(fs::exists(path_ + ".d"));
  const Counted c = count(path_);
  EXPECT_EQ(c.spans, 50u * 201u);
  EXPECT_EQ(c.steps, 50u);
  EXPECT_EQ(c.values, 50u);
  EXPECT_NE(std::find(c.names.begin(), c.names.end(), "epoch 4"), c.names.end());
}

TEST_F(RecorderTest, RecordsAgainAfterStopping) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
    scopes(3000);
    ASSERT_EQ(laptime_stop(), 0);
    EXPECT_EQ(count(path_).spans, 3000u);
  }
}

std::ptrdiff_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

// The kernel allows a process about 65,000 mappings, including those of its own memory.
TEST_F(RecorderTest, RecordingsThatAreOverShareOneMapping) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "it maps its own memory beside each of them";
#endif
  std::ptrdiff_t before = 0;
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
    scopes(3);
    ASSERT_EQ(laptime_stop(), 0);
    if (round == 2) before = mappings();
  }
  EXPECT_EQ(count(path_).spans, 3u);
  EXPECT_LT(mappings() - before, 50);
}

TEST_F(RecorderTest, StartingTwiceIsAnError) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  EXPECT_EQ(laptime_start((path_ + "2").c_str(), nullptr), -1);
  EXPECT_STREQ(laptime_error(), "recording is already on");
  laptime_stop();
}

TEST_F(RecorderTest, TenThousandShortThreads) {
  // A slot for each, so that the count does not depend on the encoder, which may wait on a busy
  // machine.
  const laptime_options options{sizeof options, 1u << 30};
  ASSERT_EQ(laptime_start(path_.c_str(), &options), 0);
  constexpr int kThreads = 10'000;
  for (int i = 0; i < kThreads; i += 10) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 10; ++t) threads.emplace_back([] { scopes(3); });
    for (auto& thread : threads) thread.join();
  }
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans + c.lost, 3u * kThreads);
  EXPECT_EQ(c.lost, 0u);
  EXPECT_EQ(c.tracks, static_cast<std::size_t>(kThreads));
}

// The encoder holds that lock while it writes, and may be interrupted then: it has the lowest
// priority.
TEST_F(RecorderTest, AThreadGetsMemoryWhileTheLogIsHeld) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(1);
  std::promise<void> held, recorded;
  std::future<std::future_status> status = std::async(std::launch::async, [&] {
    const std::lock_guard hold(record::Recorder::get().current()->part.log_mutex());
    held.set_value();
    return recorded.get_future().wait_for(std::chrono::seconds(30));
  });
  held.get_future().wait();
  constexpr int kRecords = 200'000;
  scopes(kRecords);
  recorded.set_value();
  EXPECT_EQ(status.get(), std::future_status::ready);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans, kRecords + 1u);
  EXPECT_EQ(c.lost, 0u);
}

TEST_F(RecorderTest, ThreadsRecordWhileRecordingStartsAndStops) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!done) {
        scopes(50);
        step(1);
      }
    });
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
    usleep(2000);
    ASSERT_EQ(laptime_stop(), 0);
    count(path_);
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST_F(RecorderTest, PastTheMemoryLimitRecordsAreDroppedAndCounted) {
  const laptime_options options{sizeof options, 4u << 20};
  ASSERT_EQ(laptime_start(path_.c_str(), &options), 0);
  constexpr int kRecords = 3'000'000;
  scopes(kRecords);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans + c.lost, static_cast<std::size_t>(kRecords));
  EXPECT_GT(c.spans, 0u);
}

TEST_F(RecorderTest, WhatIsReadWhileItRunsHasAllThatWasRecorded) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  std::size_t recorded = 0;
  for (int round = 0; round < 100; ++round) {
    const int more =
        3'000 + 997 * (round % 7);  // slots are full and being written to the log at odd moments
    scopes(more);
    recorded += static_cast<std::size_t>(more);
    ASSERT_EQ(count(path_).spans, recorded) << "round " << round;
  }
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(count(path_).spans, recorded);
}

TEST_F(RecorderTest, AForkedChildHasAPartOfItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support new threads in a child forked from a process "
                  "with threads";
#endif
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(100);
  EXPECT_EQ(in_child([] {
              scopes(5000);
              laptime_stop();
            }),
            0);
  EXPECT_EQ(in_child([] { scopes(70); }), 0);  // leaves with _exit, unfinished
  EXPECT_EQ(in_child([] {}), 0);               // records nothing, leaves no part
  scopes(100);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.parts, 3u);
  EXPECT_EQ(c.spans, 100u + 5000u + 70u + 100u);
}

// The first thread opens the part, which takes a while. The part also has the other threads'
// records, and names that are new meanwhile.
TEST_F(RecorderTest, ThreadsOfAForkedChildThatBeginTogetherLoseNothing) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support new threads in a child forked from a process "
                  "with threads";
#endif
  constexpr int kRounds = 10, kThreads = 4, kRecords = 200;
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  for (int round = 0; round < kRounds; ++round) {
    const auto record = [&](int thread) {
      for (int i = 0; i < kRecords; ++i) {
        record::intern("name " + std::to_string(thread) + " " + std::to_string(i));
        scopes(1);
      }
    };
    EXPECT_EQ(in_child([&] {
                std::vector<std::thread> threads;
                for (int i = 0; i < kThreads; ++i) threads.emplace_back(record, i);
                for (std::thread& thread : threads) thread.join();
                laptime_stop();
              }),
              0);
  }
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.parts, kRounds + 1u);
  EXPECT_EQ(c.spans, static_cast<std::size_t>(kRounds * kThreads * kRecords));
  EXPECT_EQ(std::count_if(c.names.begin(), c.names.end(),
                          [](const std::string& name) { return name.starts_with("name "); }),
            kRounds * kThreads * kRecords);
}

TEST_F(RecorderTest, ExitAbortAndSignalsLoseNothing) {
  const auto record = [&](int n) {
    laptime_start(path_.c_str(), nullptr);
    scopes(n);
  };
  in_child([&] { record(12'345); });
  EXPECT_EQ(count(path_).spans, 12'345u);  // by the file's name, although only its folder exists
  in_child([&] {
    record(777);
    std::signal(SIGABRT, SIG_DFL);
    abort();
  });
  EXPECT_EQ(count(path_ + ".d").spans, 777u);
  in_child([&] {
    record(50'000);
    raise(SIGKILL);
  });
  EXPECT_EQ(count(path_ + ".d").spans, 50'000u);
}

TEST_F(RecorderTest, KilledAtRandomMomentsEveryAcknowledgedRecordIsReadBack) {
  struct Shared {
    std::atomic<std::uint64_t> acknowledged[2];
  };
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) Shared();
  std::mt19937 random(42);
  for (int round = 0; round < 20; ++round) {
    shared->acknowledged[0] = shared->acknowledged[1] = 0;
    const pid_t child = fork();
    if (child == 0) {
      const laptime_options options{sizeof options, 64u << 20};
      laptime_start(path_.c_str(), &options);
      // No more records than the memory holds, even if neither the encoder nor the parent runs. So
      // nothing is dropped and the counts must match.
      constexpr std::uint64_t kMost = 500'000;
      const auto work = [&](int who) {
        while (shared->acknowledged[who].load() < kMost) {
          scopes(1);
          shared->acknowledged[who].fetch_add(1, std::memory_order_release);
          if (shared->acknowledged[who].load() % 1000 == 0) usleep(300);
        }
        for (;;) pause();
      };
      std::thread other(work, 1);
      work(0);
    }
    usleep(static_cast<useconds_t>(5'000 + random() % 60'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::uint64_t acknowledged = shared->acknowledged[0] + shared->acknowledged[1];
    if (acknowledged == 0) continue;  // killed before it had begun
    const Counted c = count(path_ + ".d");
    EXPECT_GE(c.spans + c.lost, acknowledged);
    EXPECT_LE(c.spans, acknowledged + 2);
    EXPECT_EQ(c.lost, 0u);
  }
  munmap(memory, sizeof(Shared));
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenIsOneErrorAndTheProgramGoesOn) {
  EXPECT_EQ(laptime_start("/proc/no/such/place.lap", nullptr), -1);
  EXPECT_NE(std::string(laptime_error()).find("cannot create"), std::string::npos);
  scopes(10);
}

TEST_F(RecorderTest, AStepBeginsAtTheGivenMoment) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  usleep(20'000);
  const std::uint64_t before = ticks();
  record::begin_step();
  const std::uint64_t wall = record::mark_step({.samples = 8});
  EXPECT_GT(wall, 0u);
  EXPECT_LE(wall, ticks() - before);
  EXPECT_LE(record::mark_step({}), ticks() - before);
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(record::mark_step({}), 0u);
  EXPECT_EQ(count(path_).steps, 2u);
}

}  // namespace
}  // namespace laptime
