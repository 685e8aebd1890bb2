// Work that is still under way on the GPU when the collector must leave, or the recording ends.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/os/no_signals.h"
#include "collect/cuda/awaited_launches.h"
#include "collect/testing/recorded_gpu.h"

namespace laptime::cuda {

TEST_F(CudaCollectorTest, CuptiStaysWhileLaunchesAreUnanswered) {
  gpu.on(kRecording);
  api.call(kLaunchKernel, 1);
  gpu.off(kRecording, After::leave);
  tick(5);
  EXPECT_EQ(gpu.state(), State::draining) << "the kernel has not ended";
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 1000, 1));
  tick_until(State::leaving);
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.of(SpanKind::kernel).size(), 1u);
  EXPECT_FALSE(run.warnings.contains("gpu_work_not_seen"));
}

TEST_F(CudaCollectorTest, WorkThatNeverArrivesIsCountedAndCuptiLeaves) {
  gpu.on(kRecording);
  api.call(kLaunchKernel, 1);
  gpu.off(kRecording, After::leave);
  tick(50);
  EXPECT_EQ(gpu.state(), State::draining)
      << "buffers come when all in them has ended: nothing for seconds may be a long queue";
  tick(60);
  EXPECT_EQ(gpu.state(), State::leaving);
  gpu.on(kRecording);
  api.call(kLaunchKernel, 2);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 1000, 2));
  gpu.flush();
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  gpu.on(kRecording);
  api.call(kLaunchKernel, 3);
  gpu.off(kRecording, After::leave);
  tick(25);
  EXPECT_EQ(gpu.state(), State::leaving) << "the second time not as long";
  EXPECT_EQ(stop_and_read().warnings.at("gpu_work_not_seen"), 2u)
      << "what was given up once is not waited for again";
}

TEST_F(CudaCollectorTest, WhatIsCompleteInAnIncompleteBufferArrivesAtTheEnd) {
  api.holds_back = true;
  gpu.on(kRecording);
  for (std::uint32_t number = 1; number <= 3; ++number) api.call(kLaunchKernel, number);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 1000, 1));
  api.add(api.kernel(0, 0, 2));
  gpu.stop();
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.of(SpanKind::kernel).size(), 1u);
  EXPECT_EQ(run.warnings.at("gpu_work_not_seen"), 2u)
      << "of one nothing came, of the other a record without times";
  EXPECT_FALSE(run.warnings.contains("gpu_times"));
}

TEST_F(CudaCollectorTest, FailedLaunchesAndCapturedOnesAreNotWaitedFor) {
  gpu.on(kRecording);
  api.call_with(kLaunchKernel, nullptr, 700, nullptr);
  api.call(kLaunchKernel, 5, [&] { api.graph_node(kGraphNodeCreated, 100); });
  api.call(kGraphLaunch, 6);
  const std::uint64_t now = api.clock();
  for (int node = 0; node < 3; ++node) api.add(api.kernel(now, now + 1000, 6));
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  EXPECT_FALSE(stop_and_read().warnings.contains("gpu_work_not_seen"));
}

TEST_F(CudaCollectorTest, NodesThatNoLaunchMadeHideNothing) {
  gpu.on(kRecording);
  for (std::uint64_t node = 1; node <= 10; ++node) api.graph_node(kGraphNodeCreated, node);
  api.call(kLaunchKernel, 1);
  gpu.off(kRecording, After::leave);
  tick(5);
  EXPECT_EQ(gpu.state(), State::draining) << "the kernel has not ended";
}

TEST_F(CudaCollectorTest, LaunchesWhileRecordingIsSwitchedAreNotWaitedFor) {
  api.while_enabling = api.while_disabling = [&] { api.call(kLaunchKernel, 9); };
  gpu.on(kRecording);
  api.call(kLaunchKernel, 10);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 1000, 10));
  gpu.off(kRecording, After::leave);
  api.while_enabling = api.while_disabling = nullptr;
  tick_until(State::leaving);
  const ReadRun run = stop_and_read();
  EXPECT_GE(run.of(SpanKind::launch).size(), 3u) << "they were seen";
  EXPECT_FALSE(run.warnings.contains("gpu_work_not_seen"));
}

TEST_F(CudaCollectorTest, WhereTheProgramWaitsForTheGpuNothingIsAwaitedForLong) {
  gpu.on(kRecording);
  api.call(kLaunchKernel, 1);
  gpu.off(kRecording, After::rest);
  tick(10);
  EXPECT_EQ(gpu.state(), State::draining) << "it was to rest";
  gpu.off(kEverybody, After::leave_soon);
  tick(10);
  EXPECT_EQ(gpu.state(), State::leaving);
  EXPECT_EQ(stop_and_read().warnings.at("gpu_work_not_seen"), 1u);
}

// A call that ends then takes CUPTI out. A request to CUPTI after that would find nothing.
TEST_F(CudaCollectorTest, CuptiIsNotCalledOnceACallMayTakeItOut) {
  gpu.on(kRecording);
  gpu.off(kRecording, After::leave);
  api.while_enabling_calls = [&] { api.call(kLaunchKernel, 9); };
  tick_until(State::leaving);
  api.while_enabling_calls = nullptr;
  api.call(kLaunchKernel, 10);
  EXPECT_EQ(gpu.state(), State::finalized);
  EXPECT_EQ(api.calls_after_finalize, 0);
}

TEST_F(CudaCollectorTest, AProcessThatEndsWhileCuptiIsTakenOutStaysWithoutIt) {
  gpu.on(kRecording);
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  api.while_finalizing = [&] { gpu.end(); };
  api.call(kLaunchKernel, 9);
  EXPECT_FALSE(gpu.on(kRecording));
}

TEST_F(CudaCollectorTest, AnswersToLaunchesThatAreNotAwaitedHideNoOthers) {
  std::uint32_t number = 100;
  api.while_enabling = [&] {
    const std::uint64_t now = api.clock();
    api.call(kLaunchKernel, ++number);
    api.add(api.kernel(now, now + 1000, number));
  };
  for (int interval = 0; interval < 5; ++interval) {
    gpu.on(kRecording);
    gpu.off(kRecording, After::leave);
    gpu.tick();
  }
  gpu.on(kRecording);
  api.while_enabling = nullptr;
  for (std::uint32_t queued = 1; queued <= 5; ++queued) api.call(kLaunchKernel, queued);
  gpu.off(kRecording, After::leave);
  tick(20);
  EXPECT_EQ(gpu.state(), State::draining);
  gpu.stop();
  EXPECT_EQ(stop_and_read().warnings.at("gpu_work_not_seen"), 5u);
}

TEST_F(CudaCollectorTest, NodesOfAGraphThatHaveNotEndedAreCounted) {
  api.holds_back = true;
  gpu.on(kRecording);
  api.call(kGraphLaunch, 6);
  const std::uint64_t now = api.clock();
  for (int node = 0; node < 11; ++node) api.add(api.kernel(now, now + 1000, 6));
  api.add(api.kernel(0, 0, 6));
  gpu.off(kRecording, After::leave);
  tick(110);
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.of(SpanKind::kernel).size(), 11u);
  EXPECT_EQ(run.warnings.at("gpu_work_not_seen"), 1u);
}

TEST_F(CudaCollectorTest, WhatCuptiDroppedIsLostOnce) {
  gpu.on(kRecording);
  for (std::uint32_t number = 1; number <= 4; ++number) api.call(kLaunchKernel, number);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 1000, 1));
  api.dropped = 3;
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.warnings.at("gpu_records_dropped"), 3u);
  EXPECT_FALSE(run.warnings.contains("gpu_work_not_seen"));
}

TEST_F(CudaCollectorTest, AForkedChildIgnoresItsParentsCallbacks) {
  gpu.on(kRecording);
  const pid_t child = ::fork();
  if (child == 0) {
    api.call(kLaunchKernel, 1);
    ::_exit(gpu.counts().launches == 0 ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(gpu.state(), State::capturing);
}

TEST_F(CudaCollectorTest, AForkedChildEndsWhileTheParentsThreadFlushes) {
  gpu.on(kRecording);
  api.while_flushing = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);  // if it hangs
      gpu.end();
      ::_exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  };
  gpu.flush();
  api.while_flushing = nullptr;
}

TEST_F(CudaCollectorTest, EachRecordingIsWarnedThatTheGpuFailed) {
  api.subscribe_result = kMultipleSubscribers;
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_EQ(stop_and_read().warnings.at("gpu_not_recorded"), 1u);
  EXPECT_EQ(laptime_start((folder_ + "/again.lap").c_str(), nullptr), 0);
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_EQ(laptime_stop(), 0);
  EXPECT_EQ(read_run(folder_ + "/again.lap").warnings.at("gpu_not_recorded"), 1u);
}

TEST(AwaitedLaunchesTest, AnAnswerThatIsNotAwaitedHidesNothing) {
  AwaitedLaunches awaited;
  for (const std::uint32_t number : {5u, 6u, 0xFFFF'FFFFu, 7 + 3 * AwaitedLaunches::kWindow})
    awaited.await(number);
  for (const std::uint32_t number : {4u, 8u, 6u, 6u}) awaited.done(number);
  EXPECT_EQ(awaited.count(), 3u);
  EXPECT_TRUE(awaited.is_awaited(5) && !awaited.is_awaited(6));
  awaited.give_up();
  EXPECT_EQ(awaited.count(), 0u);
}

TEST(NoSignalsTest, AThreadIsBornDeafAndItsMakerHearsAgain) {
  const auto is_blocked = [] {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, SIGUSR1) == 1;
  };
  bool in_thread = false;
  {
    const NoSignals meanwhile;
    std::thread([&] { in_thread = is_blocked(); }).join();
  }
  EXPECT_TRUE(in_thread);
  EXPECT_FALSE(is_blocked());
}

}  // namespace laptime::cuda
