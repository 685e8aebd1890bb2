#include "import/xplane/import_xplane.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/testing/memory_sink.h"
#include "format/reader.h"
#include "import/import.h"
#include "import/open_stream.h"
#include "import/testing/compression.h"
#include "import/testing/memory_source.h"
#include "xplane/testing/xspace.h"

namespace laptime {
namespace {

using xplane::TestPlane;
using xplane::xspace;

struct Span {
  std::string track, name;
  SpanKind kind;
  std::int64_t start, end;
  std::uint64_t link;
  std::map<std::string, std::string> args;

  bool operator==(const Span&) const = default;
};
struct Imported {
  std::string error;
  std::vector<Span> spans;  // in the order of the file
  std::map<std::string, std::string> properties;
  std::map<std::string, std::uint64_t> warnings;
  std::vector<ClockFact> clock;

  std::vector<Span> of(SpanKind kind) const {
    std::vector<Span> found;
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(found),
                 [&](const Span& span) { return span.kind == kind; });
    return found;
  }
};

std::string key_text(ArgKey key, const std::map<std::uint32_t, std::string>& strings) {
  if (!is_well_known(key)) return strings.at(string_of(key));
  return key == ArgKey::bytes    ? "bytes"
         : key == ArgKey::shapes ? "shapes"
         : key == ArgKey::types  ? "types"
                                 : "other";
}

Imported read_back(const Bytes& lap) {
  Imported result;
  const auto run = read_sealed(lap, "x.lap");
  if (!run) return {run.error().message, {}, {}, {}, {}};
  for (const WarningCount& warning : run->warnings) result.warnings[warning.name] = warning.count;
  for (const PartContent& part : run->parts) {
    std::map<std::uint32_t, std::string> strings;
    std::map<std::uint32_t, std::uint32_t> tracks;
    for (const Fact& fact : part.facts) {
      if (const auto* text = std::get_if<StringFact>(&fact)) strings[text->id] = text->text;
      if (const auto* track = std::get_if<TrackFact>(&fact)) tracks[track->id] = track->name;
      if (const auto* property = std::get_if<PropertyFact>(&fact))
        result.properties[std::string(property->key)] = std::get<std::string_view>(property->value);
      if (const auto* clock = std::get_if<ClockFact>(&fact)) result.clock.push_back(*clock);
    }
    for (const Block& block : part.blocks) {
      SpanColumns rows;
      EXPECT_TRUE(decode_block(block, rows));
      const std::size_t before = result.spans.size();
      for (std::size_t i = 0; i < rows.size(); ++i)
        result.spans.push_back({strings[tracks[block.summary.track]],
                                strings[rows.name[i]],
                                rows.kind[i],
                                rows.start[i],
                                rows.end(i),
                                rows.link.empty() ? 0 : rows.link[i],
                                {}});
      for (std::size_t a = 0; a < rows.args.size(); ++a)
        result.spans[before + rows.args.row[a]].args[key_text(rows.args.key[a], strings)] =
            rows.args.type[a] == ArgType::string
                ? strings[static_cast<std::uint32_t>(rows.args.value[a])]
                : std::to_string(rows.args.value[a]);
    }
  }
  return result;
}

Imported import(const std::string& bytes, std::size_t piece = SIZE_MAX,
                ImportBudget budget = ImportBudget()) {
  auto in = open_stream(memory_source(view(bytes), piece), budget);
  if (!in) return {in.error().message, {}, {}, {}, {}};
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  if (const Status status = import_stream(*in, "host.xplane.pb", writer); !status)
    return {status.error().message, {}, {}, {}, {}};
  EXPECT_TRUE(writer.finish());
  return read_back(sink.data);
}

std::string one_op() {
  return xspace({TestPlane("/host:CPU").line(1, "python", {{"a:B", 2000, 3000, {}, "B"}}).bytes()});
}

TEST(ImportXplane, ReadsNamesTimesAndKindsOfHostEvents) {
  const Imported run = import(xspace(
      {TestPlane("/host:CPU")
           .line(
               7, "python",
               {{"Profiled batch", 1'000, 90'500, {{"step_num", 1}}},
                {"EagerLocalExecute: Conv2D", 2'000, 3'000},
                {"net/dense/MatMul:MatMul", 6'000, 1'999, {}, "MatMul"},
                {"Iterator::Root::Prefetch::Map", 8'000, 1'000, {}, "Iterator::Map"},
                {"$train.py:12 main", 10'000, 50'000},
                {"IteratorGetNextOp::DoCompute", 20'000, 5'000},
                {"tf.function-graph_building", 30'000, 1'000},
                {"fusion.3", 40'000, 1'000, {{"hlo_op", 0, "fusion.3"}, {"hlo_module", 0, "jit"}}}},
               5'000)
           .bytes()}));
  ASSERT_EQ(run.error, "");
  const std::vector<Span> expected = {
      {"python", "Conv2D", SpanKind::op, 5'002, 5'005, 0, {}},
      {"python", "MatMul", SpanKind::op, 5'006, 5'007, 0, {{"op", "net/dense/MatMul"}}},
      {"python",
       "Map",
       SpanKind::stage,
       5'008,
       5'009,
       0,
       {{"pipeline", "Iterator::Root::Prefetch::Map"}}},
      {"python", "input", SpanKind::loader, 5'020, 5'025, 0, {}},
      {"python", "tf.function-graph_building", SpanKind::compile, 5'030, 5'031, 0, {}},
      {"python",
       "fusion",
       SpanKind::op,
       5'040,
       5'041,
       0,
       {{"op", "fusion.3"}, {"hlo_module", "jit"}}},
      {"python", "train.py:12 main", SpanKind::function, 5'010, 5'060, 0, {}},
      {"python", "train", SpanKind::step, 5'001, 5'091, 0, {}}};
  EXPECT_EQ(run.spans, expected);
  EXPECT_EQ(run.properties.at("host"), "trainer");
}

TEST(ImportXplane, WaitsOfOtherThreadsBelongToTheThreadThatSteps) {
  const Imported run =
      import(xspace({TestPlane("/host:CPU")
                         .line(1, "tf_data", {{"IteratorGetNextOp::DoCompute", 1'000, 2'000}})
                         .line(2, "python", {{"train", 0, 9'000, {{"step_num", 0}, {"_r", 1}}}})
                         .bytes()}));
  ASSERT_EQ(run.of(SpanKind::loader).size(), 1u);
  EXPECT_EQ(run.of(SpanKind::loader)[0].track, "python");
}

TEST(ImportXplane, CountsWhatItLeavesOut) {
  const Imported run = import(xspace({TestPlane("/host:CPU")
                                          .line(1, "t",
                                                {{"ThreadpoolListener::Record", 0, 0},
                                                 {"x", 0, -5},
                                                 {"y", 0, INT64_MAX},
                                                 {"z", INT64_MAX, INT64_MAX}})
                                          .bytes()}));
  EXPECT_EQ(run.warnings, (std::map<std::string, std::uint64_t>{{"impossible_times", 2},
                                                                {"thread_pool_events", 1}}));
}

TEST(ImportXplane, AllocationsHaveAddressBytesAndDevice) {
  const Imported run = import(xspace(
      {TestPlane("/host:CPU")
           .line(1, "t",
                 {{"MemoryAllocation",
                   0,
                   0,
                   {{"addr", 77}, {"requested_bytes", 512}, {"allocator_name", 0, "GPU_1_bfc"}}},
                  {"MemoryDeallocation", 1'000, 0, {{"addr", 77}}}})
           .bytes()}));
  const std::vector<Span> expected = {
      {"t", "cuda:1", SpanKind::allocate, 0, 0, 77, {{"bytes", "512"}}},
      {"t", "cpu", SpanKind::release, 1, 1, 77, {}}};
  EXPECT_EQ(run.spans, expected);
}

TEST(ImportXplane, ACallThatIsNotedTwiceIsOneDispatch) {
  const Imported run =
      import(xspace({TestPlane("/host:CPU")
                         .line(1, "python",
                               {{"step", 0, 9'000, {{"tf_function_call", 0, "notTraced-nonXla"}}},
                                {"EagerLocalExecute: __inference_step_7", 1'000, 5'000}})
                         .bytes()}));
  const std::vector<Span> expected = {{"python", "step", SpanKind::dispatch, 0, 9, 0, {}}};
  EXPECT_EQ(run.spans, expected);
}

TEST(ImportXplane, GpuWorkHasItsLaunchConfigAndCopy) {
  const Imported run = import(xspace(
      {TestPlane("/device:GPU:1")
           .line(
               14, "Stream #14(Compute)",
               {{"gemm",
                 0,
                 5'000,
                 {{"correlation_id", 3}, {"kernel_details", 0, "regs:32 grid:2,1,1 block:64,1,1"}}},
                {"MemcpyH2D",
                 6'000,
                 2'000,
                 {{"memcpy_details", 0, "kind_src:pinned kind_dst:device size:512 async:1"}}}})
           .line(1, "XLA Modules", {{"jit_step", 0, 9'000}})
           .bytes(),
       TestPlane("/host:CPU")
           .line(5, "main", {{"cuLaunchKernel", 0, 900, {{"correlation_id", 3}}}})
           .bytes()}));
  ASSERT_EQ(run.spans.size(), 3u);
  EXPECT_EQ(run.spans[0].track, "GPU 1 stream 14");
  EXPECT_EQ(run.spans[0].kind, SpanKind::kernel);
  EXPECT_EQ(run.spans[1].name, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(run.spans[1].args.at("bytes"), "512");
  EXPECT_EQ(run.spans[2].kind, SpanKind::launch);
  EXPECT_EQ(run.spans[2].link, run.spans[0].link);
  EXPECT_NE(run.spans[2].link, 0u);
  EXPECT_EQ(run.warnings.at("derived_lines"), 1u);
}

TEST(ImportXplane, LinesCountFromTheProfilesStartOrFrom1970) {
  constexpr std::int64_t kDate = 1'795'125'488'507'246'323;
  const Imported later =
      import(xspace({TestPlane("/host:CPU").line(1, "t", {{"x", 0, 1'000}}, 100).bytes(),
                     TestPlane("Task Environment").stat({"profile_start_time", kDate}).bytes()}));
  const Imported older =
      import(xspace({TestPlane("/host:CPU").line(1, "t", {{"x", 0, 1'000}}, kDate + 100).bytes()}));
  ASSERT_EQ(later.clock.size(), 1u);
  ASSERT_EQ(older.clock.size(), 1u);
  EXPECT_EQ(later.clock[0].realtime_ns + later.spans.at(0).start, kDate + 100);
  EXPECT_EQ(older.clock[0].realtime_ns + older.spans.at(0).start, kDate + 100);
  EXPECT_EQ(later.clock[0].monotonic_ns + later.spans[0].start,
            older.clock[0].monotonic_ns + older.spans[0].start);
}

TEST(ImportXplane, AStreamInPiecesGivesTheSame) {
  EXPECT_EQ(import(one_op(), 1).spans, import(one_op()).spans);
  EXPECT_EQ(import(gzip(one_op())).spans, import(one_op()).spans);
}

TEST(ImportXplane, OfATruncatedFileThePlanesBeforeAreShown) {
  const std::string whole = one_op();
  EXPECT_EQ(import(whole.substr(0, whole.size() / 2)).error, "is cut short");
  const Imported cut = import(whole + whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.error, "");
  EXPECT_EQ(cut.spans.size(), 1u);
  EXPECT_EQ(cut.warnings.at("truncated_profile"), 1u);
}

TEST(ImportXplane, OfATruncatedArchiveThePlanesBeforeAreShown) {
  // Bytes that gzip cannot shorten, behind the first plane.
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 200'000; ++i)
    noise += static_cast<char>((x = x * 1'664'525 + 1'013'904'223) >> 24);
  const std::string whole = gzip(one_op() + xspace({TestPlane(noise).bytes()}));
  const Imported cut = import(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.error, "");
  EXPECT_EQ(cut.spans.size(), 1u);
  EXPECT_EQ(cut.warnings.at("truncated_profile"), 1u);
}

TEST(ImportXplane, DamageIsOneLineOrAWarning) {
  const std::string whole = one_op();
  for (std::size_t i = 3; i < whole.size(); ++i)
    for (const int value : {0, 7, 0x7f, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      const Imported run = import(damaged);
      EXPECT_EQ(run.error.find('\n'), std::string::npos);
    }
}

TEST(ImportXplane, RefusesAFileWithoutAReadablePlane) {
  EXPECT_EQ(import("\x0a\x03\x12\xff\xff").error, "is damaged: none of its planes can be read");
}

TEST(ImportXplane, ShowsTheEventsBeforeADamagedOne) {
  std::string bytes =
      xspace({TestPlane("/host:CPU")
                  .line(1, "t", {{"a", 1'000, 1'000}, {"b", 3'000, 1'000}, {"c", 5'000, 1'000}})
                  .bytes()});
  // The second event's number of picoseconds, in an endless varint.
  const auto at = bytes.find("\x10\xb8\x17");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 5, 5, '\xff');
  const Imported run = import(bytes);
  EXPECT_EQ(run.error, "");
  ASSERT_EQ(run.spans.size(), 1u);
  EXPECT_EQ(run.spans[0].name, "a");
}

TEST(ImportXplane, ShowsWhatStandsBeforeDamage) {
  const Imported run = import(one_op() + std::string(1000, '\0'));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.spans.size(), 1u);
  EXPECT_EQ(run.warnings.at("damaged_plane"), 1u);
}

TEST(ImportXplane, BelievesNoLength) {
  EXPECT_EQ(import("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x08 ").error, "is cut short");
}

TEST(ImportXplane, CutsLongNames) {
  const std::string name(100'000, 'x');
  const Imported run =
      import(xspace({TestPlane("/host:CPU").line(1, name, {{name, 0, 1'000}}).bytes()}, name));
  EXPECT_EQ(run.error, "");
  ASSERT_EQ(run.spans.size(), 1u);
  EXPECT_EQ(run.spans[0].name.size(), 65'536u);
  EXPECT_EQ(run.properties.at("host").size(), 65'536u);
}

TEST(ImportXplane, RefusesWhatTheBudgetCannotHold) {
  EXPECT_NE(import(one_op(), SIZE_MAX, ImportBudget(100)).error.find("of memory"),
            std::string::npos);
}

}  // namespace
}  // namespace laptime
