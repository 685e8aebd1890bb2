#include <gtest/gtest.h>
#include <cmath>

#include "show/csv.h"
#include "show/json.h"
#include "show/markdown.h"
#include "show/terminal.h"

namespace laptime {
namespace {

Table sample() {
  return {"t",
          "Title",
          {{"name", ColumnType::text},
           {"calls", ColumnType::integer, Unit::count},
           {"total_ns", ColumnType::integer, Unit::ns},
           {"x", ColumnType::real}},
          {{"a \"quoted\", name", std::int64_t{1200}, std::int64_t{1'500'000}, 0.1},
           {"b\nc", kUnknown, std::int64_t{7}, std::nan("")}}};
}

TEST(Json, HasTheShapeThatScriptsRelyOn) {
  EXPECT_EQ(to_json({sample()}),
            "{\"laptime\": \"" LAPTIME_VERSION
            "\", \"tables\": [\n"
            "{\"name\": \"t\", \"title\": \"Title\", \"columns\": [{\"name\": \"name\", \"type\": "
            "\"text\", \"unit\": null}, "
            "{\"name\": \"calls\", \"type\": \"integer\", \"unit\": \"count\"}, "
            "{\"name\": \"total_ns\", \"type\": \"integer\", \"unit\": \"ns\"}, "
            "{\"name\": \"x\", \"type\": \"real\", \"unit\": null}], \"rows\": [\n"
            "  [\"a \\\"quoted\\\", name\", 1200, 1500000, 0.1],\n"
            "  [\"b\\nc\", null, 7, null]]}\n]}\n");
  EXPECT_EQ(to_json({}), "{\"laptime\": \"" LAPTIME_VERSION "\", \"tables\": [\n]}\n");
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(to_csv({sample()}),
            "name,calls,total_ns,x\r\n\"a \"\"quoted\"\", "
            "name\",1200,1500000,0.1\r\n\"b\nc\",,7,nan\r\n");
  EXPECT_EQ(to_csv({}), "");
}

TEST(Csv, FormulasAndCommandsAreText) {
  const auto csv_of = [](const std::string& name) {
    return to_csv({{"t", "", {{"n", ColumnType::text}}, {{name}}}});
  };
  EXPECT_EQ(csv_of("=cmd()"), "n\r\n'=cmd()\r\n");
  EXPECT_EQ(csv_of("@x"), "n\r\n'@x\r\n");
  EXPECT_EQ(csv_of("-x"), "n\r\n'-x\r\n");
  EXPECT_EQ(csv_of("\t=x"), "n\r\n'\t=x\r\n");
  EXPECT_EQ(csv_of("-1.5"), "n\r\n-1.5\r\n");
  EXPECT_EQ(csv_of("+2"), "n\r\n+2\r\n");
  EXPECT_EQ(csv_of("a\x1b[2J"), "n\r\na\uFFFD[2J\r\n");
}

TEST(Markdown, NamesAreNoLinksRowsOrTags) {
  const auto cell_of = [](const std::string& name) {
    const std::string text = to_markdown({{"t", "T", {{"n", ColumnType::text}}, {{name}}}});
    const std::size_t at = text.rfind("| ", text.size() - 4);
    return text.substr(at + 2, text.size() - at - 5);
  };
  EXPECT_EQ(cell_of("[a](b)"), "\\[a\\](b)");
  EXPECT_EQ(cell_of("<img>"), "&lt;img>");
  EXPECT_EQ(cell_of("https://x"), "https\\://x");
  EXPECT_EQ(cell_of("www.x"), "www\\.x");
  EXPECT_EQ(cell_of("a`b"), "a\\`b");
  EXPECT_EQ(cell_of("a\nb"), "a\uFFFDb");
  EXPECT_EQ(cell_of("aten::conv2d"), "aten::conv2d");
  EXPECT_EQ(cell_of("Net.__init__"), "Net.\\_\\_init\\_\\_");
  EXPECT_EQ(cell_of("_x_"), "\\_x\\_");
  EXPECT_EQ(cell_of("train_torch.py"), "train_torch.py");
}

TEST(Terminal, AlignsAndSaysUnits) {
  EXPECT_EQ(to_terminal({sample()}, {}),
            "Title\n"
            "  name              calls    total    x\n"
            "  a \"quoted\", name  1,200  1.50 ms  0.1\n"
            "  b\uFFFDc                   -     7 ns  nan\n");
}

TEST(Terminal, ShortensTextsToFit) {
  const std::string text = to_terminal({sample()}, {.width = 36, .colour = false});
  EXPECT_NE(text.find("  a \"quo…, name  1,200  1.50 ms  0.1\n"), std::string::npos) << text;
}

TEST(Terminal, ShortensLongNamesAndPathsAndScriptsGetThemWhole) {
  const std::string name =
      "sm80_xmma_dgrad_implicit_gemm_" + std::string(120, 'x') + "_execute_kernel__5x_cudnn";
  const Table table{"t",
                    "Title",
                    {{"name", ColumnType::text}, {"file", ColumnType::text}},
                    {{name, "/data/a/project/train.py"}}};
  EXPECT_EQ(
      to_terminal({table}, {.directory = "/data/a/project"}),
      "Title\n"
      "  name                                                                      file\n"
      "  sm80_xmma_dgrad_implicit_gemm_xxxxx…xxxxxxxxxxx_execute_kernel__5x_cudnn  train.py\n");
  EXPECT_NE(to_json({table}).find(name + "\", \"/data/a/project/train.py"), std::string::npos);
  EXPECT_NE(to_csv({table}).find(name + ",/data/a/project/train.py"), std::string::npos);
}

TEST(Terminal, LeavesOutDetailsBeforeNamesCannotBeRead) {
  const Table table{"t",
                    "Title",
                    {{"name", ColumnType::text},
                     {"a", ColumnType::integer},
                     {"b", ColumnType::integer, Unit::none, Prominence::detail},
                     {"c", ColumnType::integer}},
                    {{std::string(80, 'x'), std::int64_t{1111111}, std::int64_t{2222222},
                      std::int64_t{3333333}}}};
  const std::string text = to_terminal({table}, {.width = 62});
  EXPECT_EQ(text.find("2222222"), std::string::npos) << text;
  EXPECT_NE(text.find("3333333"), std::string::npos) << text;
  EXPECT_NE(text.find("Title (1 column left out: too narrow)"), std::string::npos) << text;
  EXPECT_NE(to_terminal({table}, {.width = 80}).find("2222222"), std::string::npos);
}

TEST(Terminal, AnEmptyTableSaysSo) {
  Table table = sample();
  table.rows.clear();
  EXPECT_EQ(to_terminal({table}, {}), "Title\n  none\n");
}

}  // namespace
}  // namespace laptime
