#include "import/import.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "base/testing/memory_sink.h"
#include "format/reader.h"
#include "import/open_stream.h"
#include "import/testing/compression.h"
#include "import/testing/memory_source.h"

namespace laptime {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

class Import : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "laptime_import_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(std::string_view bytes, const std::string& name = "x") {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  // The error without the folder's name.
  std::string message(std::string_view bytes) {
    MemorySink sink;
    const Status status = import_files({file(bytes)}, sink);
    if (status) return "no error";
    const std::string& text = status.error().message;
    const auto at = text.find(folder_ + "/");
    return at == std::string::npos ? text
                                   : text.substr(0, at) + text.substr(at + folder_.size() + 1);
  }

  std::string folder_;
};

// {("a.py", 3, "f"): (1, 2, 0.5, 1.0, {("a.py", 3, "f"): CALLER})}
std::string profile(std::string_view caller) {
  constexpr auto label =
      ")\x03z\x04"
      "a.pyi\x03\0\0\0z\x01"
      "f"sv;
  return std::string("{")
      .append(label)
      .append(")\x05i\x01\0\0\0i\x02\0\0\0g\0\0\0\0\0\0\xe0?g\0\0\0\0\0\0\xf0?{"sv)
      .append(label)
      .append(caller)
      .append("00");
}
constexpr auto kCallerTuple = ")\x04i\x01\0\0\0i\0\0\0\0g\0\0\0\0\0\0\xd0?g\0\0\0\0\0\0\xd0?"sv;

TallyColumns tallies_of(const Bytes& lap) {
  const auto run = read_sealed(lap, "x.lap");
  TallyColumns rows;
  for (const PartContent& part : run->parts)
    for (const Block& block : part.blocks) EXPECT_TRUE(decode_block(block, rows));
  return rows;
}

TEST_F(Import, CountsOfCallersStandTheOtherWayRound) {
  MemorySink sink;
  const Status status = import_files({file(profile(kCallerTuple))}, sink);
  ASSERT_TRUE(status) << status.error().message;
  const TallyColumns rows = tallies_of(sink.data);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.kind, (std::vector{TallyKind::call, TallyKind::edge}));
  EXPECT_EQ(rows.where, (std::vector<std::uint32_t>{0, rows.code[0]}));
  EXPECT_EQ(rows.hits, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(rows.extra_hits, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(rows.exclusive, (std::vector<std::uint64_t>{500'000'000, 250'000'000}));
  EXPECT_EQ(rows.inclusive, (std::vector<std::uint64_t>{1'000'000'000, 250'000'000}));
}

TEST_F(Import, CallersThatAreOnlyCountedGetTheirShareOfTheTime) {
  MemorySink sink;
  ASSERT_TRUE(import_files({file(profile("i\x01\0\0\0"sv))}, sink));
  EXPECT_EQ(tallies_of(sink.data).inclusive[1], 500'000'000u);
}

TEST_F(Import, EachFileIsAPart) {
  MemorySink sink;
  ASSERT_TRUE(
      import_files({file(profile(kCallerTuple), "a"), file(profile(kCallerTuple), "b")}, sink));
  EXPECT_EQ(read_sealed(sink.data, "x.lap")->parts.size(), 2u);
}

// Of each format, a file.
const std::string kProfiles[] = {
    profile(kCallerTuple),
    // {"timings": {("a", 1, "f"): [(1, 2, 3)]}, "unit": 1.0}
    "\x80\x02}(X\x07\0\0\0timings}X\x01\0\0\0\x61K\x01X\x01\0\0\0\x66\x87](K\x01K\x02K\x03\x87\x65s"
    "X\x04\0\0\0unitG?\xf0\0\0\0\0\0\0u."s};

TEST_F(Import, ReadsCompressedFiles) {
  for (const std::string& bytes : kProfiles) {
    MemorySink expected;
    ASSERT_TRUE(import_files({file(bytes)}, expected));
    EXPECT_GT(tallies_of(expected.data).size(), 0u);
    for (const std::string& stored : {gzip(bytes), zstd(bytes)}) {
      MemorySink sink;
      ASSERT_TRUE(import_files({file(stored)}, sink));
      EXPECT_EQ(sink.data, expected.data);
    }
  }
}

TEST_F(Import, ReadsPiecesOfOneByte) {
  for (const std::string& bytes : kProfiles)
    for (const std::string& stored : {bytes, gzip(bytes), zstd(bytes)}) {
      MemorySink expected, sink;
      ASSERT_TRUE(import_files({file(bytes)}, expected));
      ImportBudget budget;
      auto in = open_stream(memory_source(view(stored), 1), budget);
      ASSERT_TRUE(in);
      auto writer = LapWriter::create(sink);
      ASSERT_TRUE(import_stream(*in, "x", *writer));
      ASSERT_TRUE(writer->finish());
      EXPECT_EQ(sink.data, expected.data);
    }
}

TEST_F(Import, ReadsAFifo) {
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::jthread writer([&] { file(kProfiles[0], "fifo"); });
  MemorySink sink;
  EXPECT_TRUE(import_files({fifo}, sink));
  EXPECT_EQ(tallies_of(sink.data).size(), 2u);
}

TEST_F(Import, EveryTruncationOfACompressedFileIsOneLine) {
  for (const std::string& bytes : kProfiles)
    for (const std::string& stored : {gzip(bytes), zstd(bytes)})
      for (std::size_t size = 8; size < stored.size(); ++size)
        EXPECT_NE(message(stored.substr(0, size)).find(" data ends before its end"),
                  std::string::npos)
            << size;
}

// A gigabyte of zeros in a megabyte: as a text, as a file of no format, and behind a profile.
TEST_F(Import, RefusesABombWithinItsBudget) {
  std::string zeros;
  const std::string megabyte = gzip(std::string(1 << 20, '\0'));
  for (int i = 0; i < 1024; ++i) zeros += megabyte;
  EXPECT_LT(zeros.size(), 2u << 20);
  const std::string path = file(gzip("{)\x03s\0\0\0\x40"s) + zeros);
  for (const std::uint64_t limit : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
    ImportBudget budget(limit);
    auto in = open_stream(path, budget);
    ASSERT_TRUE(in);
    MemorySink sink;
    auto writer = LapWriter::create(sink);
    const Status status = import_stream(*in, "x", *writer);
    ASSERT_FALSE(status);
    EXPECT_TRUE(status.error().message.starts_with("takes more than ")) << status.error().message;
    EXPECT_LE(budget.most_used(), limit);
    EXPECT_LE(in->offset(), limit);
  }
  EXPECT_EQ(message(zeros).substr(0, 14), "x is in no for");
  MemorySink sink;
  EXPECT_TRUE(import_files({file(gzip(kProfiles[0]) + zeros)}, sink));
}

TEST_F(Import, SaysWhatIsWrongInOneLine) {
  EXPECT_EQ(message(""sv), "x is empty");
  EXPECT_EQ(message("{\"traceEvents\": []}"sv),
            "x is in no format that laptime imports; it reads cProfile's .prof, line_profiler's "
            ".lprof, TensorFlow's and JAX's .xplane.pb");
  EXPECT_EQ(message(gzip("")), "x is empty");
  EXPECT_EQ(message(gzip("LAPTIME\0\x01\0\0\0"sv)),
            "x is a laptime run: decompress it, and laptime report shows it");
  EXPECT_EQ(message("LAPTIME\0\x01\0\0\0"sv),
            "x is a laptime run already: laptime report shows it");
  EXPECT_EQ(message(profile("N"sv)),
            "x is marshal data, but no saved profile: a caller is not (file, line, name): (nc, cc, "
            "tt, ct)");
  EXPECT_EQ(message("\x80\x02N."sv),
            "x is a pickle, but not line_profiler's: it holds no timings and unit");
  EXPECT_EQ(message("\x80\x02"
                    "cos\nsystem\n."sv),
            "x names os.system, which line_profiler's files do not; refused, nothing was run");
}

// A map with many keys for one large value would unfold to the product of both.
TEST_F(Import, RefusesWhatUnfoldsBeyondItsSize) {
  std::string lines = "](";
  for (int i = 0; i < 1000; ++i) lines += "K\x01K\x01K\x01\x87";
  std::string bytes("\x80\x02}(", 4);
  for (int i = 0; i < 1000; ++i) {
    bytes.append("X\x01\0\0\0fM"sv)
        .append({static_cast<char>(i & 0xff), static_cast<char>(i >> 8)})
        .append("X\x01\0\0\0g\x87"sv);
    bytes += i == 0 ? lines + "eq\x01" : "h\x01";
  }
  bytes += "uG?\xf0\0\0\0\0\0\0\x86."sv;
  EXPECT_EQ(message(bytes),
            "x is a pickle, but not line_profiler's: it unfolds to more entries than it has bytes");
}

std::string with_sources(std::string_view texts) {
  return std::string(
             "\x80\x02}(X\x07\0\0\0timings}X\x04\0\0\0unitG?\xf0\0\0\0\0\0\0"
             "X\x0f\0\0\0laptime_sources"sv)
             .append(texts) +
         "u.";
}

TEST_F(Import, TakesTheSourceTextThatTheFileHolds) {
  MemorySink sink;
  ASSERT_TRUE(import_files({file(with_sources("}X\x04\0\0\0a.pyX\x05\0\0\0a = 1s"sv))}, sink));
  const auto run = read_sealed(sink.data, "x.lap");
  const auto is_source = [](const Fact& fact) { return std::holds_alternative<SourceFact>(fact); };
  const auto& facts = run->parts.at(0).facts;
  const auto found = std::find_if(facts.begin(), facts.end(), is_source);
  ASSERT_NE(found, facts.end());
  EXPECT_EQ(std::get<SourceFact>(*found).stored, "a = 1");
  EXPECT_EQ(message(with_sources("}X\x04\0\0\0a.pyK\x01s"sv)),
            "x is a pickle, but not line_profiler's: its source texts are no texts by file");
}

TEST_F(Import, RefusesSourceTextThatUnfoldsBeyondItsSize) {
  std::string texts = "}(X\x01"s + "\0\0\0aX\xe8\x03\0\0"s + std::string(1000, 'x') + "q\x01";
  for (char c = 'b'; c < 'z'; ++c) texts += "X\x01\0\0\0"s + c + "h\x01";
  EXPECT_EQ(
      message(with_sources(texts + "u")),
      "x is a pickle, but not line_profiler's: it unfolds to more source text than it has bytes");
}

TEST_F(Import, ImpossibleTimesAreAWarning) {
  MemorySink sink;
  ASSERT_TRUE(import_files(
      {file(profile(")\x04i\x01\0\0\0i\0\0\0\0g\0\0\0\0\0\0\xd0\xbfg\0\0\0\0\0\0\xf8\x7f"sv))},
      sink));
  const auto run = read_sealed(sink.data, "x.lap");
  ASSERT_EQ(run->warnings.size(), 1u);
  EXPECT_EQ(run->warnings[0].name, "impossible_times");
  EXPECT_EQ(run->warnings[0].count, 2u);
}

}  // namespace
}  // namespace laptime
