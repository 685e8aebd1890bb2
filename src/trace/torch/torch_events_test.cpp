#include "trace/torch/torch_events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/names.h"
#include "trace/torch/torch_averages.h"

namespace laptime {
namespace {

constexpr std::uint64_t kInterval = 77;

// A run with one process, built span by span in the order of their ends; the profiled interval is
// 100 … 1100.
struct TracedOps {
  Run run;
  std::uint32_t track = 0;

  TracedOps() {
    run.processes.emplace_back();
    run.codes.emplace_back();
    run.call_sites.emplace_back();
    add_track(TrackKind::thread);
    add("torch.profiler", SpanKind::scope, 0, 1000, kInterval);
  }
  std::uint32_t add_track(TrackKind kind) {
    run.tracks.emplace_back();
    run.tracks.back().kind = kind;
    return track = static_cast<std::uint32_t>(run.tracks.size() - 1);
  }
  Spans& spans() { return run.tracks[track].spans; }
  void add(const char* name, SpanKind kind, std::int64_t start, std::int64_t end,
           std::uint64_t link = 0) {
    spans().start.push_back(start + 100);
    spans().duration.push_back(end - start);
    spans().name.push_back(run.strings.add(name));
    spans().kind.push_back(kind);
    spans().link.push_back(link);
  }
  std::uint32_t last_row() { return static_cast<std::uint32_t>(spans().size() - 1); }
  void op(const char* name, std::int64_t start, std::int64_t end, std::uint64_t link = 0) {
    add(name, SpanKind::op, start, end, link);
  }
  void memory(SpanKind kind, const char* device, std::int64_t at, std::uint64_t bytes,
              std::uint64_t address) {
    add(device, kind, at, at, address);
    if (std::string_view(device) == kCpuName) run.devices[spans().name.back()] = {};
    if (bytes != 0) spans().bytes.add(last_row(), bytes);
  }
  std::uint32_t call_site(std::uint32_t line) {
    run.call_sites.push_back({0, line, 0});
    return static_cast<std::uint32_t>(run.call_sites.size() - 1);
  }
  TorchEvents events() { return *torch_events(run, kInterval, CallSites::yes); }
  // "name start+duration self parent | …"
  std::string outline() {
    std::string text;
    for (const TorchEvent& e : events().events)
      text +=
          fmt::format("{}{} {}+{} {} {}", text.empty() ? "" : " | ", run.strings[e.name],
                      e.start_ns, e.duration_ns, e.self_ns(), static_cast<std::int32_t>(e.parent));
    return text;
  }
};

TEST(TorchEvents, ListsParentsFirst) {
  TracedOps s;
  s.op("c", 20, 30);
  s.op("d", 40, 45);
  s.op("b", 10, 50);
  s.op("e", 60, 70);
  s.op("a", 0, 100);
  s.op("f", 200, 210);
  EXPECT_EQ(
      s.outline(),
      "a 0+100 50 -1 | b 10+40 25 0 | c 20+10 10 1 | d 40+5 5 1 | e 60+10 10 0 | f 200+10 10 -1");
}

TEST(TorchEvents, HaveFlopsWhereTorchsProfilerHasSome) {
  TracedOps s;
  s.op("aten::conv2d", 0, 10);
  s.spans().flops.add(s.last_row(), 100);
  s.op("aten::convolution_backward", 20, 30);
  s.spans().flops.add(s.last_row(), 200);
  const TorchEvents events = s.events();
  ASSERT_EQ(events.events.size(), 2u);
  EXPECT_EQ(events.events[0].flops, 100);
  EXPECT_EQ(events.events[1].flops, 0);
}

TEST(TorchEvents, LeavesOutWhatLiesOutsideAndTheProfilersOwnCalls) {
  TracedOps s;
  s.op("before", -50, -10);
  s.op("across", -50, 10);
  s.op("inner", 25, 26);
  s.op("profiler::_record_function_enter_new", 20, 30);
  s.op("after", 990, 1010);
  EXPECT_EQ(s.outline(), "inner 25+1 1 -1");
  EXPECT_FALSE(torch_events(s.run, 1234, CallSites::no));
}

TEST(TorchEvents, AnOnlyChildOfTheSameNameIsItsParent) {
  TracedOps s;
  s.op("x", 12, 14);
  s.op("add", 11, 15);
  s.op("add", 10, 18);
  s.op("add", 5, 20);
  s.op("mul", 40, 45);
  s.op("mul", 46, 48);
  s.op("mul", 30, 50);
  EXPECT_EQ(s.outline(),
            "add 5+15 13 -1 | x 12+2 2 0 | mul 30+20 13 -1 | mul 40+5 5 2 | mul 46+2 2 2");
}

TEST(TorchEvents, ThreadsComeInOneList) {
  TracedOps s;
  s.op("b", 20, 30);
  s.op("a", 10, 40);
  s.add_track(TrackKind::thread);
  s.op("y", 16, 18);
  s.op("x", 15, 25);
  EXPECT_EQ(s.outline(), "a 10+30 20 -1 | x 15+10 8 -1 | y 16+2 2 1 | b 20+10 10 0");
}

TEST(TorchEvents, MemoryBelongsToTheInnermostEvent) {
  TracedOps s;
  s.memory(SpanKind::allocate, "cpu", -20, 30, 0xB);
  s.memory(SpanKind::allocate, "cpu", 12, 100, 0xA);
  s.op("inner", 10, 20);
  s.memory(SpanKind::release, "cpu", 25, 0, 0xB);
  s.memory(SpanKind::release, "cpu", 25, 0, 0xC);
  s.memory(SpanKind::allocate, "cuda:0", 26, 7, 0xD);
  s.op("outer", 5, 30);
  s.memory(SpanKind::allocate, "cpu", 50, 9, 0xE);
  const TorchEvents events = s.events();
  ASSERT_EQ(events.events.size(), 3u);
  EXPECT_EQ(events.events[0].cpu_bytes, 70);
  EXPECT_EQ(events.events[0].self_cpu_bytes, -30);
  EXPECT_EQ(events.events[0].device_bytes, 7);
  EXPECT_EQ(events.events[1].cpu_bytes, 100);
  EXPECT_TRUE(events.events[2].is_memory());
  EXPECT_EQ(events.events[2].cpu_bytes, 9);
  ASSERT_EQ(events.memory.size(), 4u);
  EXPECT_EQ(events.memory[1].bytes, -30);
}

TEST(TorchEvents, CallSitesComeFromOutsideAndForBackwardFromForward) {
  TracedOps s;
  const std::uint64_t node = OpLink::autograd(OpLink::pack(0, 1, 5));
  s.op("conv_inner", 12, 14);
  s.op("conv", 10, 20, node);
  s.spans().call_site.add(s.last_row(), s.call_site(42));
  s.op("mm", 32, 34);
  s.add("ConvBackward0", SpanKind::backward, 31, 39, node);
  s.add("autograd::engine::evaluate_function: ConvBackward0", SpanKind::backward, 30, 40);
  const TorchEvents events = s.events();
  ASSERT_EQ(events.events.size(), 5u);
  for (const TorchEvent& e : events.events)
    EXPECT_EQ(s.run.call_sites[e.call_site].line, 42u) << s.run.strings[e.name];
  EXPECT_TRUE(is_backward_node(events.events[3], s.run));
  EXPECT_FALSE(is_backward_node(events.events[2], s.run));
  EXPECT_EQ(events.events[2].link, node);
  EXPECT_EQ(sequence_number(node), 5);
  EXPECT_EQ(forward_thread(node), 1u);
}

TEST(TorchEvents, KernelsCountForTheOpThatLaunchedThem) {
  TracedOps s;
  s.add("cuLaunchKernel", SpanKind::launch, 12, 13, 501);
  s.op("mm", 10, 20);
  s.op("linear", 5, 25);
  s.add_track(TrackKind::stream);
  s.add("gemm", SpanKind::kernel, 15, 415, 501);
  const TorchEvents events = s.events();
  ASSERT_EQ(events.events.size(), 4u);
  EXPECT_EQ(events.events[0].kernel_ns, 400);
  EXPECT_EQ(events.events[0].self_kernel_ns, 0);
  EXPECT_EQ(events.events[1].self_kernel_ns, 400);
  EXPECT_TRUE(events.events[3].on_device);
}

TEST(TorchEvents, GpuWorkHasTorchsNamesItsSizeAndWaitsAreEvents) {
  TracedOps s;
  s.add("cuStreamSynchronize", SpanKind::sync, 30, 40);
  s.op("item", 25, 45);
  s.add_track(TrackKind::stream);
  s.add("_Z3addPf", SpanKind::kernel, 15, 20, 501);
  const LaunchConfig config{{128, 1, 1}, {256, 1, 1}, 40, 0, 16384};
  s.spans().launch_config.add(s.last_row(), s.run.launch_configs.add(config));
  s.add("Memcpy HtoD (Pageable -> Device) blocking", SpanKind::copy, 21, 24, 502);
  s.spans().bytes.add(s.last_row(), 4096);
  s.spans().copy.add(s.last_row(), {CopyDirection::host_to_device, MemoryKind::pageable,
                                    MemoryKind::device, true});
  const TorchEvents events = s.events();
  ASSERT_EQ(events.events.size(), 4u);
  EXPECT_EQ(event_name(events.events[0], s.run), "add(float*)");
  EXPECT_EQ(*s.run.launch_configs.find(events.events[0].launch_config), config);
  EXPECT_EQ(event_name(events.events[1], s.run), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(events.events[1].moved_bytes, 4096);
  EXPECT_EQ(events.events[2].children_ns, 10);
  EXPECT_EQ(event_name(events.events[3], s.run), "cuStreamSynchronize");
}

TEST(TorchAverages, GroupByNameShapesAndStack) {
  TracedOps s;
  for (int i = 0; i < 3; ++i) {
    s.op("mm", 10 + 100 * i, 20 + 100 * i);
    if (i != 1)
      s.spans().shapes.add(s.last_row(), s.run.strings.add(i == 0 ? "[[2, 2]]" : "[[3, 3]]"));
    s.spans().call_site.add(s.last_row(), s.call_site(static_cast<std::uint32_t>(i % 2)));
    s.add(fmt::format("ProfilerStep#{}", i).c_str(), SpanKind::annotation, 5 + 100 * i,
          30 + 100 * i);
  }
  s.add("mm", SpanKind::annotation, 500, 501);
  const TorchEvents events = s.events();
  const auto by_name = torch_averages(s.run, events, {});
  ASSERT_EQ(by_name.size(), 3u);
  EXPECT_EQ(by_name[0].calls, 3u);
  EXPECT_EQ(by_name[0].cpu_ns, 75);
  EXPECT_EQ(by_name[0].self_cpu_ns, 45);
  EXPECT_EQ(by_name[1].cpu_ns, 30);
  EXPECT_EQ(by_name[2].calls, 1u);
  EXPECT_EQ(torch_averages(s.run, events, {.by_shapes = true}).size(), 5u);
  EXPECT_EQ(torch_averages(s.run, events, {.stack_depth = 1}).size(), 4u)
      << "the first and the third are of one line";
}

TEST(TorchEvents, OpsThatHaveNotEndedLastUntilTheSessionDoes) {
  TracedOps s;
  s.op("first", 10, 20);
  s.op("second", 300, 400);
  s.op("third", 500, 600);
  TorchNotes notes;
  notes.unended = {{-5, s.run.strings.add("began before"), SpanKind::annotation},
                   {200, s.run.strings.add("outer"), SpanKind::annotation},
                   {450, s.run.strings.add("inner"), SpanKind::annotation}};
  const TorchEvents found = *torch_events(s.run, kInterval, CallSites::no, notes);
  std::string text;
  for (const TorchEvent& e : found.events)
    text += fmt::format("{} {}+{} {} | ", s.run.strings[e.name], e.start_ns, e.duration_ns,
                        static_cast<std::int32_t>(e.parent));
  EXPECT_EQ(text,
            "first 10+10 -1 | outer 200+800 -1 | second 300+100 1 | inner 450+550 1 | third "
            "500+100 3 | ");
}

TEST(TorchEvents, NotesFindTheirOpsThoughTheClocksDrift) {
  TracedOps s;
  s.run.tracks[0].os_id = 7;
  TorchNotes notes;
  notes.duration_ns = 2000;  // on the notes' clock it takes twice as long
  for (std::int64_t i = 0; i < 9; ++i) {
    s.op(fmt::format("op {}", i).c_str(), 100 * i, 100 * i + 10);
    if (i != 4) notes.notes.push_back({7, 200 * i + i, static_cast<std::uint64_t>(i) + 50, 0});
  }
  notes.notes.push_back({8, 0, 99, 0});
  const TorchEvents found = *torch_events(s.run, kInterval, CallSites::no, notes);
  ASSERT_EQ(found.events.size(), 9u);
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(found.events[i].id, i == 4 ? 0 : i + 50);
}

}  // namespace
}  // namespace laptime
