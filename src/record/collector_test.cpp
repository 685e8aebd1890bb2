// What collectors record, read back through the format's reader.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <future>
#include <map>
#include <thread>

#include "record/collector.h"
#include "record/testing/recording.h"

namespace laptime {
namespace {

class CollectorTest : public RecorderTest {};

TEST_F(CollectorTest, TalliesAndArgumentsOfCollectors) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const std::uint32_t warning =
      record::warning_index("test_warning", Severity::info, "only a test");
  record::warn(warning, 7);
  for (std::uint32_t i = 0; i < 5000; ++i)
    record::put_tally({TallyKind::line, code, 11, i, 1, 100, 50, 0, 0});
  const std::uint16_t stream = record::add_track(TrackKind::stream, 7, "stream 7");
  const record::Arg args[] = {{named_key(record::intern("bytes")), ArgType::integer, 4096}};
  for (int i = 0; i < 100; ++i)
    record::put_span(
        {100, 200, record::intern("kernel"), SpanKind::kernel, stream, record::new_link()}, args,
        1);
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(count(path_).tallies, 5000u);
  const auto run = open_run(path_);
  bool found = false;
  for (const WarningCount& l : run->warnings) found |= l.name == "test_warning" && l.count == 7;
  EXPECT_TRUE(found);
  for (const Block& block : run->parts[0].blocks) {
    if (block.summary.track != stream) continue;
    EXPECT_EQ(block.summary.rows, 100u);
    EXPECT_EQ(block.summary.args, 100u);
    EXPECT_TRUE(block.summary.has_links);
  }
}

TEST_F(CollectorTest, SpansOfAnotherThreadAreOnItsTrack) {
  EXPECT_EQ(record::open_thread(1, "nobody"), nullptr);
  record::put_span_of(nullptr, {}, nullptr, 0);
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(1);
  const auto own = static_cast<std::uint64_t>(syscall(SYS_gettid));
  const std::uint32_t name = record::intern("op");
  const record::Arg arg{ArgKey::flops, ArgType::integer, 7};
  for (const std::uint64_t thread : {own, std::uint64_t{1}}) {
    record::Cursor* const cursor = record::open_thread(thread, "pool");
    for (int i = 0; i < 3000; ++i)
      record::put_span_of(cursor, {.start = 100, .end = 200, .name = name, .kind = SpanKind::op},
                          &arg, 1);
    record::close_thread(cursor);
  }
  record::Cursor* const late = record::open_thread(1, "pool");
  const std::uint32_t own_track = record::track_of_thread(own, ""),
                      others = record::track_of_thread(1, "");
  ASSERT_EQ(laptime_stop(), 0);
  record::put_span_of(late, {.start = 100, .end = 200, .name = name}, nullptr, 0);
  record::close_thread(late);

  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  std::map<std::uint32_t, std::uint64_t> rows, args;
  for (const Block& block : run->parts[0].blocks) {
    rows[block.summary.track] += block.summary.rows;
    args[block.summary.track] += block.summary.args;
  }
  EXPECT_EQ(rows, (std::map<std::uint32_t, std::uint64_t>{{own_track, 3001}, {others, 3000}}));
  EXPECT_EQ(args[others], 3000u);
}

TEST_F(CollectorTest, TalliesOfAnotherThreadAreOnItsTrackWhetherItRecordsOrNot) {
  EXPECT_EQ(record::track_of_thread(1, "nobody"), 0u);
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(1);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const auto put = [&](std::uint32_t track) {
    record::put_tally({TallyKind::line, code, 11, 0, 1, 100, 50, 0, 0, track});
  };
  std::promise<std::uint64_t> id;
  std::promise<void> asked;
  std::thread other([&] {
    id.set_value(static_cast<std::uint64_t>(syscall(SYS_gettid)));
    asked.get_future().wait();
    scopes(3);
  });
  const std::uint64_t other_id = id.get_future().get();
  const std::uint32_t others = record::track_of_thread(other_id, "loader");
  const std::uint32_t silent = record::track_of_thread(1, "silent");
  put(others);
  put(silent);
  put(0);
  asked.set_value();
  other.join();
  ASSERT_EQ(laptime_stop(), 0);

  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  std::map<std::uint32_t, std::pair<int, int>> rows;  // by track: spans, tallies
  for (const Block& block : run->parts[0].blocks) {
    auto& [spans, tallies] = rows[block.summary.track];
    (block.summary.table == TableType::spans ? spans : tallies) +=
        static_cast<int>(block.summary.rows);
  }
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[others], std::pair(3, 1));
  EXPECT_EQ(rows[silent], std::pair(0, 1));
}

SpanColumns spans_of(const RunContent& run) {
  SpanColumns spans;
  for (const Block& block : run.parts[0].blocks) {
    if (block.summary.table != TableType::spans) continue;
    EXPECT_TRUE(decode_block(block, spans));
  }
  return spans;
}

TEST_F(CollectorTest, OpsAndMemoryAreOneRecordAndReadAsSpansWithArguments) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const std::uint32_t call_site = record::add_call_site(code, 12, record::intern("net.conv1"));
  EXPECT_EQ(record::add_call_site(code, 12, record::intern("net.conv1")), call_site);
  EXPECT_NE(record::add_call_site(code, 13, 0), call_site);
  const std::uint64_t now = laptime_now();
  record::put_op(
      {now, now + 100, OpLink::pack(0, 1, 7), record::intern("aten::inner"), SpanKind::op});
  const record::Arg shapes{ArgKey::shapes, ArgType::string, record::intern("[[2]]")};
  record::put_op(
      {now, now + 200, OpLink::pack(call_site, 1, 7), record::intern("aten::outer"), SpanKind::op},
      &shapes, 1);
  record::put_memory(SpanKind::allocate, 0xABC0, 4096, record::add_device({}));
  ASSERT_EQ(laptime_stop(), 0);

  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  const SpanColumns spans = spans_of(*run);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans.link[0], OpLink::kAutograd | 1ull << 32 | 8);
  EXPECT_EQ(spans.link[1], spans.link[0]);
  EXPECT_EQ(spans.link[2], 0xABC0u);
  EXPECT_EQ(spans.kind[2], SpanKind::allocate);
  EXPECT_EQ(spans.duration[2], 0);
  EXPECT_EQ(spans.args.row, (std::vector<std::uint32_t>{1, 1, 2}));
  EXPECT_EQ(spans.args.type,
            (std::vector<ArgType>{ArgType::call_site, ArgType::string, ArgType::integer}));
  EXPECT_EQ(spans.args.value[0], call_site);
  EXPECT_EQ(spans.args.value[2], 4096u);
}

// A later recording has the devices of an earlier one: collectors keep the ids of their names.
TEST_F(CollectorTest, DevicesAndPropertiesAreTyped) {
  constexpr Device kSecond{DeviceKind::cuda, 1};
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint32_t name = record::add_device(kSecond);
  EXPECT_EQ(record::add_device(kSecond), name);
  EXPECT_STREQ(record::name_text(name), "cuda:1");
  ASSERT_EQ(laptime_stop(), 0);
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  record::set_property("integer", 5);
  record::set_property("real", 0.5);
  record::set_property("text", "5");
  record::set_device_property(kSecond, "memory_bytes", 4096);
  ASSERT_EQ(laptime_stop(), 0);
  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  std::map<std::string_view, PropertyValue> properties;
  std::map<std::uint32_t, Device> devices;
  for (const Fact& fact : run->parts.at(0).facts) {
    if (const auto* property = std::get_if<PropertyFact>(&fact))
      properties[property->key] = property->value;
    if (const auto* property = std::get_if<DevicePropertyFact>(&fact))
      properties[property->key] = property->value;
    if (const auto* device = std::get_if<DeviceFact>(&fact)) devices[device->name] = device->device;
  }
  EXPECT_EQ(properties["integer"], PropertyValue(std::int64_t{5}));
  EXPECT_EQ(properties["real"], PropertyValue(0.5));
  EXPECT_EQ(properties["text"], PropertyValue(std::string_view("5")));
  EXPECT_EQ(properties["memory_bytes"], PropertyValue(std::int64_t{4096}));
  EXPECT_EQ(devices[name], kSecond);
}

TEST_F(CollectorTest, ArgumentsThatOpsShareAreWrittenOutForEach) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const record::Arg args[] = {{ArgKey::shapes, ArgType::string, record::intern("[[2]]")},
                              {ArgKey::flops, ArgType::integer, 1ull << 40}};
  const std::uint16_t shared = record::add_args(args, 2);
  EXPECT_NE(shared, 0);
  EXPECT_EQ(record::add_args(args, 2), shared);
  EXPECT_NE(record::add_args(args, 1), shared);
  const std::uint64_t now = laptime_now();
  for (int i = 0; i < 3; ++i)
    record::put_op(
        {now, now + 100, OpLink::pack(0, 1, i), record::intern("aten::mm"), SpanKind::op, shared});
  const auto check = [&](const std::string& path) {
    const auto run = open_run(path);
    ASSERT_TRUE(run);
    const SpanColumns spans = spans_of(*run);
    EXPECT_EQ(spans.args.row, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2})) << path;
    EXPECT_EQ(spans.args.value[1], 1ull << 40);
    EXPECT_EQ(spans.args.type[0], ArgType::string);
  };
  check(path_ + ".d");  // as after SIGKILL
  ASSERT_EQ(laptime_stop(), 0);
  check(path_);
  // A later recording, and a number from before it.
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  for (int i = 0; i < 3; ++i)
    record::put_op(
        {now, now + 100, OpLink::pack(0, 1, i), record::intern("aten::mm"), SpanKind::op, shared});
  ASSERT_EQ(laptime_stop(), 0);
  check(path_);
}

TEST_F(CollectorTest, AnOpWithUnknownArgumentsIsLeftOut) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint64_t now = laptime_now();
  record::put_op({now, now + 100, 0, record::intern("aten::mm"), SpanKind::op, 60'000});
  ASSERT_EQ(laptime_stop(), 0);
  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run).size(), 0u);
}

}  // namespace
}  // namespace laptime
