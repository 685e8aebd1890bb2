// The collector from end to end: hand-made records in, the reader's results out.
#include "collect/cuda/cuda_collector.h"

#include <array>
#include <thread>
#include <utility>

#include "collect/cuda/kernel_call_sites.h"
#include "collect/testing/recorded_gpu.h"
#include "record/collector.h"

namespace laptime::cuda {
namespace {

void capture_stderr() {
  ::testing::internal::CaptureStderr();
  record::stderr_was_replaced();
}

std::string captured_stderr() {
  const std::string text = ::testing::internal::GetCapturedStderr();
  record::stderr_was_replaced();
  return text;
}

TEST_F(CudaCollectorTest, SetsUpInTheOrderThatCuptiNeeds) {
  EXPECT_TRUE(gpu.on(kRecording));
  EXPECT_EQ(api.calls, (std::vector<std::string>{"subscribe", "zeroed", "clock", "buffers"}));
  EXPECT_EQ(api.kinds, (std::set<std::uint32_t>{kConcurrentKernel, kMemcpy, kMemset, kPeerCopy}));
  EXPECT_TRUE(api.callbacks.contains({kDriverDomain, kLaunchKernel}));
  EXPECT_TRUE(gpu.on(kRecording));
  EXPECT_EQ(api.calls.size(), 4u) << "a second on changes nothing";
}

TEST_F(CudaCollectorTest, AKernelCarriesItsLaunchsLinkTimesAndConfiguration) {
  gpu.on(kRecording);
  std::uint64_t start = 0, end = 0;
  api.call(kLaunchKernel, 41, [&] { start = api.clock(); });
  end = api.clock();
  api.add(api.kernel(start, end, 41));
  const ReadRun run = stop_and_read();
  const auto launches = run.of(SpanKind::launch), kernels = run.of(SpanKind::kernel);
  ASSERT_EQ(launches.size(), 1u);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(launches[0].name, "cuLaunchKernel");
  EXPECT_EQ(launches[0].link, LaunchLink::pack(1, 41));
  EXPECT_EQ(kernels[0].link, launches[0].link);
  EXPECT_EQ(kernels[0].name, "_Z6vectorPf");
  EXPECT_EQ(kernels[0].track, "GPU 0 stream 7");
  EXPECT_EQ(kernels[0].config, (LaunchConfig{{128, 1, 1}, {128, 1, 1}, 32, 0, 0}));
  EXPECT_GE(kernels[0].start, launches[0].start) << "no kernel before its launch, by the one clock";
  EXPECT_GE(kernels[0].end, launches[0].end);
  const auto expected = static_cast<double>(
      // on a clock other than the file's, so a pause of the machine here makes it long
      end - start);
  EXPECT_NEAR(static_cast<double>(kernels[0].end - kernels[0].start), expected,
              2 + 1e-4 * expected);
}

TEST_F(CudaCollectorTest, AKernelHasTheCallSiteThatItsNameWasGiven) {
  gpu.on(kRecording);
  const std::uint32_t code = record::add_code("train.py", "step", 1, 0),
                      first = record::add_call_site(code, 7, 0),
                      second = record::add_call_site(code, 9, 0);
  const auto run_kernel = [&](const char* name) {
    const std::uint64_t start = api.clock();
    ActivityKernel kernel = api.kernel(start, start + 1000, 41);
    kernel.name = name;
    api.add(kernel);
    gpu.flush();
  };
  run_kernel("loop_add_fusion");
  KernelCallSites::get().add("loop_add_fusion", first);
  KernelCallSites::get().add("loop_twice_fusion", first);
  run_kernel("loop_add_fusion");
  run_kernel("loop_twice_fusion");
  KernelCallSites::get().add("loop_add_fusion", first);
  KernelCallSites::get().add("loop_twice_fusion", second);
  run_kernel("loop_add_fusion");
  run_kernel("loop_twice_fusion");
  std::vector<std::uint64_t> call_sites;
  for (const ReadSpan& kernel : stop_and_read().of(SpanKind::kernel))
    call_sites.push_back(kernel.call_site);
  EXPECT_EQ(call_sites, (std::vector<std::uint64_t>{0, first, first, first, 0}))
      << "two programs with a kernel of one name: which line it is is not known";
}

TEST_F(CudaCollectorTest, CopiesAndFillsSayWhatTheyMoved) {
  gpu.on(kRecording);
  ActivityMemcpy copy{};
  copy.kind = kMemcpy;
  copy.copy_kind = 1;
  copy.source_kind = 1;
  copy.target_kind = 3;
  copy.flags = kMemcpyAsync;
  copy.bytes = 200'704;
  copy.start = api.clock();
  copy.end = copy.start + 1000;
  api.add(copy);
  copy.source_kind = 2;
  copy.flags = 0;
  api.add(copy);
  ActivityMemset fill{};
  fill.kind = kMemset;
  fill.memory_kind = 3;
  fill.bytes = 64;
  fill.start = copy.start;
  fill.end = copy.end;
  api.add(fill);
  const ReadRun run = stop_and_read();
  const auto copies = run.of(SpanKind::copy), fills = run.of(SpanKind::fill);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].name, "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(copies[0].copy, (CopyInfo{CopyDirection::host_to_device, MemoryKind::pageable,
                                      MemoryKind::device, false}));
  EXPECT_EQ(copies[0].bytes, 200'704);
  EXPECT_EQ(copies[1].name, "Memcpy HtoD (Pinned -> Device) blocking");
  EXPECT_TRUE(copies[1].copy.blocking);
  ASSERT_EQ(fills.size(), 1u);
  EXPECT_EQ(fills[0].name, "Memset (Device)");
  EXPECT_EQ(fills[0].bytes, 64);
}

TEST_F(CudaCollectorTest, TwoDevicesAndTwoStreamsStayApart) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 10, 1, 7, 0));
  api.add(api.kernel(now, now + 10, 2, 7, 1));
  api.add(api.kernel(now, now + 10, 3, 8, 0));
  std::set<std::string> tracks;
  for (const ReadSpan& kernel : stop_and_read().of(SpanKind::kernel)) tracks.insert(kernel.track);
  EXPECT_EQ(tracks, (std::set<std::string>{"GPU 0 stream 7", "GPU 0 stream 8", "GPU 1 stream 7"}));
}

TEST_F(CudaCollectorTest, RecordsWithoutSensibleTimesAreDroppedAndCounted) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(0, now, 1));
  api.add(api.kernel(now, now, 2));
  api.add(api.kernel(now + 5, now, 3));
  api.add(api.kernel(now, now + 5, 4));
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.of(SpanKind::kernel).size(), 1u);
  EXPECT_EQ(run.warnings.at("gpu_times"), 3u);
}

TEST_F(CudaCollectorTest, LongerRecordsOfALaterVersionAreRead) {
  gpu.on(kRecording);
  api.kernel_tail = 48;
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  api.add(api.kernel(now, now + 6, 2));
  EXPECT_EQ(stop_and_read().of(SpanKind::kernel).size(), 2u);
}

TEST_F(CudaCollectorTest, RecordsThatReachOutOfTheirBufferAreLeftAlone) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  api.record_shift = sizeof(ActivityKernel);
  const ReadRun run = stop_and_read();
  EXPECT_TRUE(run.of(SpanKind::kernel).empty());
  EXPECT_EQ(run.warnings.at("gpu_records_malformed"), 1u);
}

TEST_F(CudaCollectorTest, ARecordThatIsCutIsLeftAlone) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  ActivityKernel whole = api.kernel(now, now + 5, 1);
  std::array<std::uint8_t, 64> front;
  std::memcpy(front.data(), &whole, front.size());
  api.add(front);
  const ReadRun run = stop_and_read();
  EXPECT_TRUE(run.of(SpanKind::kernel).empty());
  EXPECT_EQ(run.warnings.at("gpu_records_malformed"), 1u);
}

TEST_F(CudaCollectorTest, DroppedRecordsAreCounted) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  api.dropped = 12;
  EXPECT_EQ(stop_and_read().warnings.at("gpu_records_dropped"), 12u);
}

TEST_F(CudaCollectorTest, WhatWasDroppedForAnotherToolBeforeIsNotCounted) {
  api.dropped = 12;
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  EXPECT_FALSE(stop_and_read().warnings.contains("gpu_records_dropped"));
}

TEST_F(CudaCollectorTest, CorrelationNumbersMayWrap) {
  gpu.on(kRecording);
  for (const std::uint32_t number : {0xFFFF'FFFEu, 0xFFFF'FFFFu, 0u, 1u}) {
    api.call(kLaunchKernel, number);
    const std::uint64_t now = api.clock();
    api.add(api.kernel(now, now + 5, number));
  }
  const ReadRun run = stop_and_read();
  const auto launches = run.of(SpanKind::launch), kernels = run.of(SpanKind::kernel);
  ASSERT_EQ(launches.size(), 4u);
  ASSERT_EQ(kernels.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(launches[i].link, kernels[i].link);
}

TEST_F(CudaCollectorTest, WaitsAreSpansOfTheThreadWithTheirLine) {
  gpu.context().set_call_site_function(+[]() -> std::uint32_t { return 5; });
  gpu.on(kRecording);
  api.call(kStreamSynchronize, 1,
           [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  const auto waits = stop_and_read().of(SpanKind::sync);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].name, "cuStreamSynchronize");
  EXPECT_EQ(waits[0].call_site, 5u);
  EXPECT_GE(waits[0].end - waits[0].start, 2'000'000);
}

TEST_F(CudaCollectorTest, LaunchesCarryTheirCallSite) {
  gpu.context().set_call_site_function(+[]() -> std::uint32_t { return 9; });
  gpu.on(kRecording);
  api.call(kLaunchKernel, 1);
  const auto launches = stop_and_read().of(SpanKind::launch);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].call_site, 9u);
  EXPECT_EQ(launches[0].autograd, -1) << "without PyTorch there is no autograd";
}

TEST_F(CudaCollectorTest, InsideOfARecordedOpItsCallSiteIsTaken) {
  gpu.context().set_call_site_function(+[]() -> std::uint32_t { return 9; });
  gpu.context().set_op_call_site_function(+[]() -> std::int64_t {
    static std::int64_t calls = 0;
    return ++calls % 2 != 0 ? 4 : -1;
  });
  gpu.on(kRecording);
  for (std::uint32_t number = 1; number <= 2; ++number) api.call(kLaunchKernel, number);
  for (std::uint32_t number = 3; number <= 4; ++number) api.call(kStreamSynchronize, number, [] {});
  const ReadRun run = stop_and_read();
  for (const SpanKind kind : {SpanKind::launch, SpanKind::sync}) {
    const auto spans = run.of(kind);
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0].call_site, 4u);
    EXPECT_EQ(spans[1].call_site, 9u);
  }
}

TEST_F(CudaCollectorTest, KernelsOfAGraphLeadToWhereTheirNodeWasCaptured) {
  gpu.context().set_call_site_function(+[]() -> std::uint32_t { return 3; });
  gpu.on(kRecording);
  api.graph_node(kGraphNodeCreated, 100);
  gpu.context().set_call_site_function(+[]() -> std::uint32_t { return 4; });
  api.graph_node(kGraphNodeCloned, 200, 100);
  api.graph_node(kGraphNodeCloned, 300, 999);  // of a graph made before the collector was on
  api.call(kGraphLaunch, 8);
  const std::uint64_t now = api.clock();
  ActivityKernel kernel = api.kernel(now, now + 5, 8);
  kernel.graph_node = 200;
  api.add(kernel);
  const ReadRun run = stop_and_read();
  std::map<std::uint64_t, std::uint64_t> call_sites;
  for (const ReadSpan& launch : run.of(SpanKind::launch))
    call_sites[launch.link] = launch.call_site;
  EXPECT_EQ(call_sites.at(GraphNodeLink::pack(200)), 3u)
      << "the clone has the line of its original";
  EXPECT_FALSE(call_sites.contains(GraphNodeLink::pack(300)));
  ASSERT_EQ(run.of(SpanKind::kernel).size(), 1u);
  EXPECT_EQ(run.of(SpanKind::kernel)[0].graph_node, GraphNodeLink::pack(200));
}

TEST_F(CudaCollectorTest, AToolThatDoesNotSayItsNameIsAnother) {
  api.subscribe_result = kMultipleSubscribers;
  api.holder = "<not provided>";
  capture_stderr();
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_TRUE(
      captured_stderr().starts_with("laptime: GPU is not recorded: another tool uses CUPTI"));
}

TEST_F(CudaCollectorTest, AnotherToolsSubscriptionIsLeftAlone) {
  api.subscribe_result = kMultipleSubscribers;
  api.holder = "CUPTI for Kineto";
  capture_stderr();
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_FALSE(gpu.on(kRecording));
  const std::string printed = captured_stderr();
  EXPECT_EQ(printed,
            "laptime: GPU is not recorded: CUPTI for Kineto uses CUPTI already (Nsight, "
            "torch.profiler and XLA's profiler do)\n");
  EXPECT_EQ(api.calls, (std::vector<std::string>{"subscribe"}))
      << "nothing may be registered after a refusal";
  EXPECT_EQ(gpu.state(), State::failed);
  EXPECT_EQ(stop_and_read().warnings.at("gpu_not_recorded"), 1u);
}

TEST_F(CudaCollectorTest, ARefusedKindGivesTheSubscriptionBack) {
  api.refused[kMemcpy] = kInsufficientPrivileges;
  capture_stderr();
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_EQ(captured_stderr(),
            "laptime: GPU is not recorded: the driver lets only administrators profile (CUPTI "
            "error 35)\n");
  EXPECT_EQ(api.calls.back(), "unsubscribe");
  EXPECT_TRUE(api.kinds.empty()) << "the other kinds' records would never be fetched";
}

TEST_F(CudaCollectorTest, CopiesBetweenGpusAreReadAndNotMissedWhereTheyAreRefused) {
  gpu.on(kRecording);
  ActivityPeerCopy copy{};
  copy.kind = kPeerCopy;
  copy.copy_kind = 10;
  copy.source_kind = copy.target_kind = 3;
  copy.flags = kMemcpyAsync;
  copy.bytes = 4096;
  copy.start = api.clock();
  copy.end = copy.start + 100;
  copy.correlation = 3;
  copy.stream = 7;
  copy.target_device = 1;
  api.call(kCopyToPeer, 3);
  api.add(copy);
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  api.refused[kPeerCopy] = 1;
  EXPECT_TRUE(gpu.on(kRecording));
  const ReadRun run = stop_and_read();
  ASSERT_EQ(run.of(SpanKind::copy).size(), 1u);
  EXPECT_EQ(run.of(SpanKind::copy)[0].name, "Memcpy PtoP (Device -> Device)");
  EXPECT_EQ(run.of(SpanKind::copy)[0].bytes, 4096);
  EXPECT_EQ(run.of(SpanKind::copy)[0].link, run.of(SpanKind::launch)[0].link);
}

TEST_F(CudaCollectorTest, WhatAnotherThreadLaunchesWhileItGoesOnHasItsLaunch) {
  api.while_enabling = [this, first = true]() mutable {
    if (!std::exchange(first, false)) return;
    api.call(kLaunchKernel, 5);
    const std::uint64_t now = api.clock();
    api.add(api.kernel(now, now + 100, 5));
  };
  gpu.on(kRecording);
  const ReadRun run = stop_and_read();
  ASSERT_EQ(run.of(SpanKind::kernel).size(), 1u);
  ASSERT_EQ(run.of(SpanKind::launch).size(), 1u);
  EXPECT_EQ(run.of(SpanKind::kernel)[0].link, run.of(SpanKind::launch)[0].link);
}

TEST_F(CudaCollectorTest, IsOnAsLongAsAnybodyRequestsIt) {
  gpu.on(kRecording);
  EXPECT_TRUE(gpu.on(kProfiler));
  gpu.off(kRecording, After::leave);
  EXPECT_EQ(gpu.state(), State::capturing);
  gpu.off(kRecording, After::leave);
  EXPECT_EQ(gpu.state(), State::capturing) << "a second off cancels no other request";
  gpu.off(kProfiler, After::rest);
  EXPECT_EQ(gpu.state(), State::draining);
  gpu.on(kProfiler);
  gpu.on(kRecording);
  gpu.set_disabled(true);
  gpu.off(kEverybody, After::leave);
  EXPECT_EQ(gpu.state(), State::draining);
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_EQ(gpu.state(), State::draining);
  gpu.set_disabled(false);
  EXPECT_TRUE(gpu.on(kRecording));
}

TEST_F(CudaCollectorTest, OffDrainsThenLeavesAtTheProgramsNextCall) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  gpu.off(kRecording, After::leave);
  EXPECT_TRUE(api.kinds.empty());
  EXPECT_TRUE(api.callbacks.empty());
  EXPECT_EQ(gpu.state(), State::draining);
  gpu.tick();  // something arrived: not quiet yet
  tick_until(State::leaving);
  EXPECT_EQ(api.calls.back(), "buffers") << "not before the program calls";
  api.call(kLaunchKernel, 2);
  EXPECT_EQ(gpu.state(), State::finalized);
  EXPECT_EQ(api.calls.back(), "finalize");
  EXPECT_TRUE(gpu.on(kRecording));
  api.call(kLaunchKernel, 1);
  const std::uint64_t later = api.clock();
  api.add(api.kernel(later, later + 100, 1));
  const ReadRun run = stop_and_read();
  const auto launches = run.of(SpanKind::launch), kernels = run.of(SpanKind::kernel);
  ASSERT_EQ(launches.size(), 1u);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].link, LaunchLink::pack(1, 1));
  EXPECT_EQ(kernels[1].link, LaunchLink::pack(2, 1)) << "numbers begin anew, links do not";
}

TEST_F(CudaCollectorTest, AfterTheEndCuptiIsNotCalledAgain) {
  gpu.on(kRecording);
  const std::uint64_t now = api.clock();
  api.add(api.kernel(now, now + 5, 1));
  gpu.end();
  api.add(api.kernel(now + 10, now + 15, 2));  // the buffer is not fetched any more
  gpu.tick();
  gpu.flush();
  EXPECT_FALSE(gpu.on(kRecording));
  EXPECT_EQ(stop_and_read().of(SpanKind::kernel).size(), 1u);
}

TEST_F(CudaCollectorTest, OnWhileLeavingStays) {
  gpu.on(kRecording);
  gpu.off(kRecording, After::leave);
  tick_until(State::leaving);
  EXPECT_TRUE(gpu.on(kRecording));
  api.call(kLaunchKernel, 2);
  EXPECT_EQ(gpu.state(), State::capturing);
  EXPECT_NE(api.calls.back(), "finalize");
  EXPECT_EQ(stop_and_read().of(SpanKind::launch).size(), 1u);
}

TEST_F(CudaCollectorTest, ThreadsMayLaunchWhileItIsSwitched) {
  std::atomic<bool> done{false};
  gpu.on(kRecording);
  const std::uint32_t numbers[] = {kLaunchKernel, kStreamSynchronize};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      std::uint64_t data = 0;
      CallbackData info{};
      info.correlation_data = &data;
      while (!done) {
        info.site = info.site == kEnter ? kExit : kEnter;
        api.callback(api.user, kDriverDomain, numbers[t % 2], &info);
      }
    });
  for (int i = 0; i < 200; ++i) {
    gpu.off(kRecording, After::rest);
    gpu.tick();
    EXPECT_TRUE(gpu.on(kRecording));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gpu.state(), State::capturing);
}

TEST_F(CudaCollectorTest, BuffersRunOutWithoutHarm) {
  gpu.on(kRecording);
  const std::size_t most = BufferPool::kBufferBytes / sizeof(ActivityKernel);
  const std::uint64_t now = api.clock();
  for (std::size_t i = 0; i < most + 10; ++i)
    api.add(api.kernel(now, now + 5, static_cast<std::uint32_t>(i)));
  const ReadRun run = stop_and_read();
  EXPECT_EQ(run.of(SpanKind::kernel).size(), most);
  EXPECT_EQ(run.warnings.at("gpu_records_dropped"), 10u);
}

TEST_F(CudaCollectorTest, DevicesAreDescribedAsSoonAsTheDriverKnowsThem) {
  api.initialized = false;
  gpu.on(kRecording);
  api.initialized = true;
  api.devices = 2;
  gpu.tick();
  const ReadRun run = stop_and_read();
  const auto& first = run.devices.at(0);
  const auto number = [&](const char* key) { return std::get<std::int64_t>(first.at(key)); };
  EXPECT_EQ(std::get<std::string>(first.at("name")), "Fake 0");
  EXPECT_EQ(std::get<std::string>(run.devices.at(1).at("name")), "Fake 1");
  EXPECT_EQ(number("compute_major"), 9);
  EXPECT_EQ(number("compute_minor"), 0);
  EXPECT_EQ(number("peak_bytes_per_s"), 3'201'000'000ll * 2 * 6144 / 8);
  EXPECT_NEAR(static_cast<double>(number("peak_flops_fp16")) * 1e-12, 989.4,
              2);  // device_peaks_test.cpp has the rest
  EXPECT_FALSE(first.contains("l2_bytes")) << "what the driver does not tell is left out";
}

// The pattern of a training: 93 launches a step with their kernels on one stream. Bar: 16 bytes per
// GPU record in the sealed file.
TEST_F(CudaCollectorTest, AGpuRecordTakesFewBytes) {
  gpu.context().set_call_site_function(+[]() -> std::uint32_t {
    static std::uint32_t i = 0;
    return 1 + i++ % 93 / 4;
  });
  gpu.on(kRecording);
  constexpr std::uint32_t kSteps = 400, kPerStep = 93;
  const char* const names[] = {"_Z4gemmPf", "_Z4reluPf", "_Z7softmaxPf", "_Z4adamPf",
                               "_Z6reducePf"};
  std::uint64_t time = api.clock();
  std::uint32_t random = 1;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (std::uint32_t i = 0; i < kPerStep; ++i) {
      const std::uint32_t number = (step * kPerStep + i) * 9;
      api.call(kLaunchKernel, number);
      random = random * 1664525 + 1013904223;
      ActivityKernel kernel =
          api.kernel(time, time + 1500 + (i * 311) % 9000 + random % 97, number);
      time = kernel.end + 800 + (random >> 8) % 700;
      kernel.name = names[i % 5];
      kernel.grid[0] = static_cast<std::int32_t>(i);
      api.add(kernel);
    }
    if (step % 50 == 49) gpu.flush();
  }
  const ReadRun run = stop_and_read();
  ASSERT_EQ(run.of(SpanKind::kernel).size(), kSteps * kPerStep);
  ASSERT_EQ(run.of(SpanKind::launch).size(), kSteps * kPerStep);
  const double bytes = static_cast<double>(run.file_bytes) / (kSteps * kPerStep);
  RecordProperty("bytes_per_gpu_record", std::to_string(bytes));
  std::printf("%.1f bytes a kernel, its launch included\n", bytes);
  EXPECT_LE(bytes, 16);
}

}  // namespace
}  // namespace laptime::cuda
