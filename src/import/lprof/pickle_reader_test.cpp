#include "import/lprof/pickle_reader.h"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <string_view>

#include "import/testing/memory_source.h"

namespace laptime {
namespace {

Result<PythonTree> read(std::string_view bytes, std::size_t piece = SIZE_MAX,
                        ImportBudget budget = ImportBudget()) {
  const ByteView view(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  auto in = ByteStream::create(memory_source(view, piece), budget);
  return in ? read_pickle(*in) : tl::unexpected(in.error());
}
std::string message(std::string_view bytes) {
  const auto whole = read(bytes), in_pieces = read(bytes, 1);
  EXPECT_EQ(whole.has_value(), in_pieces.has_value());
  if (whole || in_pieces) return "no error";
  EXPECT_EQ(whole.error().message, in_pieces.error().message);
  return whole.error().message;
}
bool mentions(std::string_view bytes, std::string_view what) {
  return message(bytes).find(what) != std::string::npos;
}
using namespace std::string_view_literals;

TEST(PickleReader, ReadsDataOfEveryKind) {
  const auto tree = read(
      "\x80\x04](NK\x07M\x00\x01J\xff\xff\xff\xff\x8a\x02\x00\x80G?\xf8\0\0\0\0\0\0"
      "\x8c\x02hi\x88}\x94K\x01K\x02se."sv);
  ASSERT_TRUE(tree) << tree.error().message;
  const PythonValues& v = tree->values;
  const auto& items = v.items(tree->root);
  ASSERT_EQ(items.size(), 9u);
  EXPECT_TRUE(v.is(items[0], PythonType::none));
  EXPECT_EQ(v.integer(items[1]), 7);
  EXPECT_EQ(v.integer(items[2]), 256);
  EXPECT_EQ(v.integer(items[3]), -1);
  EXPECT_EQ(v.integer(items[4]), -32768);
  EXPECT_EQ(v.real(items[5]), 1.5);
  EXPECT_EQ(v.text(items[6]), "hi");
  EXPECT_TRUE(v.is(items[7], PythonType::boolean));
  EXPECT_EQ(v.items(items[8]).size(), 2u);
}

TEST(PickleReader, AllowsOneClassAndGivesItsState) {
  const auto tree = read(
      "\x80\x02"
      "cline_profiler.line_profiler\nLineStats\n)\x81}b."sv);
  ASSERT_TRUE(tree) << tree.error().message;
  ASSERT_TRUE(tree->values.is(tree->root, PythonType::instance));
  EXPECT_TRUE(tree->values.is(tree->values.items(tree->root).front(), PythonType::map));
}

TEST(PickleReader, RefusesEveryOtherClassByItsName) {
  EXPECT_EQ(message("\x80\x02"
                    "cos\nsystem\nX\x02\0\0\0id\x85R."sv),
            "names os.system, which line_profiler's files do not; refused, nothing was run");
  EXPECT_TRUE(
      mentions("\x80\x04\x8c\x08"
               "builtins\x8c\x04"
               "eval\x93."sv,
               "names builtins.eval"));
  EXPECT_TRUE(
      mentions("\x80\x02"
               "cline_profiler.line_profiler\nLineStats.__init__\n."sv,
               "names line_profiler.line_profiler.LineStats.__init__"));
  EXPECT_TRUE(
      mentions("\x80\x02"
               "c\x1b[2J\nx\n."sv,
               "names ?[2J.x"));
}

TEST(PickleReader, RefusesEveryInstructionThatCalls) {
  EXPECT_TRUE(mentions("\x80\x02N)R."sv, "REDUCE, a call"));
  EXPECT_TRUE(mentions("\x80\x02(ios\nsystem\n."sv, "INST, a call"));
  EXPECT_TRUE(mentions("\x80\x02(No."sv, "OBJ, a call"));
  EXPECT_TRUE(mentions("\x80\x04N)}\x92."sv, "NEWOBJ_EX, a call"));
  EXPECT_TRUE(mentions("\x80\x02\x82\x01."sv, "EXT, a registered class"));
  EXPECT_TRUE(mentions("\x80\x02Pid\n."sv, "PERSID"));
  EXPECT_TRUE(
      mentions("\x80\x02N)\x81."sv, "makes an object in a way that line_profiler does not"));
  EXPECT_TRUE(mentions("\x80\x02}}b."sv, "sets the state of what is no object"));
}

TEST(PickleReader, SurvivesStacksThatLie) {
  for (const auto bytes :
       {"\x80\x02."sv, "\x80\x02s."sv, "\x80\x02]a."sv, "\x80\x02u."sv, "\x80\x02(s."sv,
        "\x80\x02}(Nu."sv, "\x80\x02h\x05."sv, "\x80\x02j\xff\xff\xff\xff."sv, "\x80\x02N(\x86."sv,
        "\x80\x02Nq\x01(h\x01"sv, "\x80\x02\x94."sv, "\x80\x02K\x01K\x01\x61."sv,
        "\x80\x02X\xff\xff\xff\xff"sv, "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"sv,
        "\x80\x02\x8b\xff\xff\xff\xff"sv, "\x80\x07N."sv})
    EXPECT_FALSE(read(bytes));
}

TEST(PickleReader, AListMayHoldItself) { EXPECT_TRUE(read("\x80\x02]q\0h\0a."sv)); }

TEST(PickleReader, StopsAtItsBudget) {
  for (const auto piece :
       {"N"sv, "("sv, "NN0"sv, "Nr\1\2\3\4"sv, "]N\x85"sv, "X\x04\0\0\0text"sv}) {
    std::string bytes = "\x80\x04";
    while (bytes.size() < 20'000'000) bytes += piece;
    EXPECT_FALSE(read(bytes, SIZE_MAX, ImportBudget(4 << 20)).has_value());
  }
}

}  // namespace
}  // namespace laptime
