#include <gtest/gtest.h>

#include "base/testing/memory_sink.h"
#include "format/frame.h"
#include "format/writer.h"
#include "trace/run/run.h"

namespace laptime {
namespace {

constexpr std::uint32_t kTrack = 65536;

SpanColumns rows(std::size_t count, std::int64_t from, bool links) {
  SpanColumns spans;
  for (std::size_t i = 0; i < count; ++i) {
    spans.start.push_back(from + static_cast<std::int64_t>(i) * 10);
    spans.duration.push_back(5);
    spans.name.push_back(1 + i % 2);
    spans.kind.push_back(SpanKind::scope);
    if (links) spans.link.push_back(i + 1);
  }
  spans.args.row = {static_cast<std::uint32_t>(count - 1)};
  spans.args.key = {named_key(2)};
  spans.args.type = {ArgType::string};
  spans.args.value = {1};
  return spans;
}

// A file of one part with three blocks of 100 rows; the middle one has links.
Bytes three_blocks(const std::vector<Fact>& more_facts = {}) {
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  const std::uint32_t part = writer.add_part();
  for (int block = 0; block < 3; ++block)
    EXPECT_TRUE(writer.add_rows(part, kTrack, rows(100, block * 1000, block == 1)));
  std::vector<Fact> facts{StringFact{1, "one"}, StringFact{2, "two"},
                          TrackFact{kTrack, TrackKind::thread, 77, 0}};
  facts.insert(facts.end(), more_facts.begin(), more_facts.end());
  EXPECT_TRUE(writer.add_facts(part, facts));
  EXPECT_TRUE(writer.finish());
  return sink.data;
}

void damage_block(Bytes& file, int which) {
  for (std::size_t at = 16; at < file.size();) {
    const auto frame = parse_frame(file, at);
    ASSERT_TRUE(frame);
    at += frame->total_size;
    if (frame->type != FrameType::block || which-- != 0) continue;
    file[at - 1] ^= 1;
    return;
  }
}

Run load(const Bytes& file) {
  auto content = read_sealed(file, "test");
  EXPECT_TRUE(content);
  auto run = load_run(std::move(*content), "test");
  EXPECT_TRUE(run);
  return std::move(*run);
}

struct TestArg {
  std::uint32_t row;
  ArgKey key;
  ArgType type;
  std::uint64_t value;
};

// A thread with `count` spans that have these arguments, with a call site and a launch config,
// both 1.
Run with_args(std::uint32_t count, const std::vector<TestArg>& args) {
  SpanColumns spans = rows(count, 0, false);
  spans.args = {};
  for (const auto& [row, key, type, value] : args) {
    spans.args.row.push_back(row);
    spans.args.key.push_back(key);
    spans.args.type.push_back(type);
    spans.args.value.push_back(value);
  }
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  const std::uint32_t part = writer.add_part();
  EXPECT_TRUE(writer.add_rows(part, kTrack, spans));
  EXPECT_TRUE(writer.add_facts(
      part,
      {StringFact{1, "one"}, StringFact{2, "two"}, TrackFact{kTrack, TrackKind::thread, 77, 0},
       CallSiteFact{1, 0, 42, 0}, LaunchConfigFact{1, {{128, 1, 1}, {256, 2, 1}, 40, 8, 16384}}}));
  EXPECT_TRUE(writer.finish());
  return load(sink.data);
}

TEST(Load, SortsWellKnownArgumentsIntoColumns) {
  const CopyInfo copy{CopyDirection::device_to_host, MemoryKind::device, MemoryKind::pinned, true};
  const auto run =
      with_args(4, {{0, ArgKey::call_site, ArgType::call_site, 1},
                    {0, ArgKey::launch_config, ArgType::launch_config, 1},
                    {1, ArgKey::bytes, ArgType::integer, 4096},
                    {1, ArgKey::copy, ArgType::integer, copy.pack()},
                    {2, ArgKey::autograd, ArgType::integer, static_cast<std::uint64_t>(-3)},
                    {2, named_key(2), ArgType::string, 1}});
  const Spans& spans = run.tracks[0].spans;
  EXPECT_EQ(run.call_sites[*spans.call_site.find(0)].line, 42u);
  EXPECT_EQ(run.launch_configs.find(*spans.launch_config.find(0))->block[1], 2u);
  EXPECT_EQ(spans.bytes.value_or(1, 0), 4096u);
  EXPECT_EQ(spans.copy.value_or(1, {}), copy);
  EXPECT_EQ(spans.autograd.value_or(2, 0), -3);
  EXPECT_EQ(spans.bytes.find(0), nullptr);
  ASSERT_EQ(spans.args.size(), 1u);
  EXPECT_EQ(run.strings[string_of(spans.args.key[0])], "two");
}

TEST(Load, LeavesOutArgumentsThatMakeNoSense) {
  const auto run =
      with_args(4, {{0, ArgKey::call_site, ArgType::call_site, 4711},
                    {0, ArgKey::launch_config, ArgType::launch_config, 9},
                    {0, ArgKey::bytes, ArgType::string, 1},
                    {1, ArgKey::call_site, ArgType::integer, 1},
                    {1, ArgKey::copy, ArgType::integer, 0xFFFF'FFFF},
                    {2, ArgKey::none, ArgType::integer, 1},
                    {2, static_cast<ArgKey>(kWellKnownKey | 4000), ArgType::integer, 1}});
  const Spans& spans = run.tracks[0].spans;
  EXPECT_TRUE(spans.call_site.empty());
  EXPECT_TRUE(spans.launch_config.empty());
  EXPECT_TRUE(spans.bytes.empty());
  EXPECT_EQ(spans.copy.value_or(1, {}).direction, CopyDirection::unknown);
  EXPECT_EQ(spans.args.size(), 0u);
}

TEST(Load, PutsEveryBlockInItsPlace) {
  const laptime::Run run = load(three_blocks());
  ASSERT_EQ(run.tracks.size(), 1u);
  const Track& track = run.tracks[0];
  EXPECT_EQ(track.name, "thread 77");
  ASSERT_EQ(track.spans.size(), 300u);
  EXPECT_EQ(track.spans.start[299], 2990);
  EXPECT_EQ(run.strings[track.spans.name[0]], "one");
  EXPECT_EQ(run.strings[track.spans.name[1]], "two");
  EXPECT_EQ(track.spans.link[99], 0u);
  EXPECT_EQ(track.spans.link[100], 1u);
  EXPECT_EQ(track.spans.link[200], 0u);
  EXPECT_EQ(track.spans.args.row, (std::vector<std::uint32_t>{99, 199, 299}));
  EXPECT_EQ(run.strings[string_of(track.spans.args.key[0])], "two");
  EXPECT_EQ(run.strings[static_cast<std::uint32_t>(track.spans.args.value[0])], "one");
  EXPECT_EQ(run.end_ns, 2995);
  EXPECT_EQ(run.column_bytes(), 300u * (21 + 8) + 3 * 17);
  EXPECT_TRUE(run.warnings.empty());
}

TEST(Load, TakesADamagedBlockOut) {
  Bytes file = three_blocks();
  damage_block(file, 1);
  const laptime::Run run = load(file);
  const SpanColumns& spans = run.tracks[0].spans;
  ASSERT_EQ(spans.size(), 200u);
  EXPECT_EQ(spans.start[99], 990);
  EXPECT_EQ(spans.start[100], 2000);
  EXPECT_EQ(spans.link.size(), 200u);
  EXPECT_EQ(spans.link[100], 0u);
  EXPECT_EQ(spans.args.row, (std::vector<std::uint32_t>{99, 199}));
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].name, "damaged_chunk");
  EXPECT_EQ(run.warnings[0].count, 1u);
}

TEST(Load, CorrectsClocks) {
  const laptime::Run run = load(three_blocks(
      {ClockFact{0, 5'000'000'000, 7'000'000'000}, ClockFact{100'000'000, 5'200'000'000, 0}}));
  const SpanColumns& spans = run.tracks[0].spans;
  EXPECT_EQ(spans.start[1], 20);
  EXPECT_EQ(spans.duration[1], 10);
  EXPECT_EQ(run.start_realtime_ns, 7'000'000'000);
  EXPECT_EQ(run.end_ns, 200'000'000);
}

TEST(Load, NamesThatAreNotExplainedAreEmpty) {
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  const std::uint32_t part = writer.add_part();
  SpanColumns spans = rows(2, 0, false);
  spans.name = {0xFFFFFFFF, 12};
  ASSERT_TRUE(writer.add_rows(part, 3, spans));
  ASSERT_TRUE(writer.add_facts(part, {StringFact{0xFFFFFFF0, "far"}}));
  ASSERT_TRUE(writer.finish());
  const laptime::Run run = load(sink.data);
  EXPECT_EQ(run.tracks[0].name, "track 3");
  EXPECT_EQ(run.strings[run.tracks[0].spans.name[0]], "");
  EXPECT_EQ(run.strings[run.tracks[0].spans.name[1]], "");
}

TEST(Load, TimesThatCannotBeAreDamage) {
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  const std::uint32_t part = writer.add_part();
  SpanColumns spans = rows(2, 0, false);
  spans.start[0] = INT64_MAX - 10;
  ASSERT_TRUE(writer.add_rows(part, 3, spans));
  ASSERT_TRUE(writer.finish());
  const laptime::Run run = load(sink.data);
  EXPECT_EQ(run.span_count(), 0u);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].name, "damaged_chunk");
}

TEST(Load, KeepsTheTypesOfPropertiesAndDevices) {
  constexpr Device kSecond{DeviceKind::cuda, 1};
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  ASSERT_TRUE(writer.add_facts(
      writer.add_part(),
      {PropertyFact{"pid", 12}, PropertyFact{"cpus", "8"}, PropertyFact{"torch running", 4.5},
       DeviceFact{2, kSecond}, DevicePropertyFact{kSecond, "memory_bytes", 4096},
       StringFact{1, "cpu"}, StringFact{2, "cuda:1"}, DeviceFact{1, {}}}));
  ASSERT_TRUE(writer.finish());
  const laptime::Run run = load(sink.data);
  ASSERT_EQ(run.processes.size(), 1u);
  const Process& process = run.processes[0];
  EXPECT_EQ(property_number(process.properties, "pid"), 12);
  EXPECT_EQ(property_number(process.properties, "cpus"), std::nullopt) << "a text is no number";
  EXPECT_EQ(property_text(process.properties, "cpus"), "8");
  EXPECT_EQ(property_number<double>(process.properties, "torch running"), 4.5);
  EXPECT_EQ(property_number(process.properties, "torch running"), std::nullopt);
  EXPECT_EQ(property_number(process.devices.at(kSecond), "memory_bytes"), 4096);
  EXPECT_EQ(run.device(run.strings.find("cuda:1")), kSecond);
  EXPECT_TRUE(run.is_cpu(run.strings.find("cpu")));
  EXPECT_FALSE(run.is_cpu(run.strings.find("cuda:1")));
  EXPECT_FALSE(run.device(0));
}

TEST(Load, APartWithoutAProcessSpeaksOfTheRun) {
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  ASSERT_TRUE(writer.add_facts(writer.add_part(), {PropertyFact{"exit_code", 3}}));
  ASSERT_TRUE(writer.add_facts(writer.add_part(),
                               {PropertyFact{"pid", 12}, PropertyFact{"parent_pid", 11}}));
  ASSERT_TRUE(writer.finish());
  const laptime::Run run = load(sink.data);
  EXPECT_EQ(property_number(run.properties, "exit_code"), 3);
  ASSERT_EQ(run.processes.size(), 1u);
  EXPECT_EQ(run.processes[0].pid, 12u);
  EXPECT_EQ(run.processes[0].parent_pid, 11u);
}

}  // namespace
}  // namespace laptime
