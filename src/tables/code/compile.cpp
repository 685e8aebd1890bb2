#include "tables/code/compile.h"

#include <map>

#include "tables/code/line_cells.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"

namespace laptime {

namespace {

// Strings, 0 unknown, and a line of LineIds.
struct Compilation {
  std::uint32_t what, line, function, reason;
  auto operator<=>(const Compilation&) const = default;
};
struct CompileSums {
  std::uint64_t count = 0, total_ns = 0;
};

class CompileRows {
 public:
  CompileRows(const Run& run, const LineIds& lines)
      : run_(run),
        lines_(lines),
        function_key_(run.strings.find("function")),
        reason_key_(run.strings.find("reason")) {
    for (const Track& track : run.tracks) add(track.spans);
  }

  void fill(Table& table) const {
    for (const auto& [c, sums] : sums_)
      table.rows.push_back({std::string(run_.strings[c.what]), text(c.function),
                            file_cell(lines_, c.line), line_cell(lines_, c.line),
                            integer_cell(sums.count), integer_cell(sums.total_ns), text(c.reason)});
  }

 private:
  void add(const Spans& spans) {
    std::size_t arg = 0;
    for (std::uint32_t row = 0; row < spans.size(); ++row) {
      if (spans.kind[row] != SpanKind::compile) continue;
      Compilation c{spans.name[row], lines_[spans.call_site.value_or(row, 0)], 0, 0};
      while (arg < spans.args.size() && spans.args.row[arg] < row) ++arg;
      for (; arg < spans.args.size() && spans.args.row[arg] == row; ++arg) read(spans.args, arg, c);
      CompileSums& sums = sums_[c];
      ++sums.count;
      sums.total_ns += static_cast<std::uint64_t>(spans.duration[row]);
    }
  }
  void read(const ArgColumns& args, std::size_t arg, Compilation& c) const {
    if (args.type[arg] != ArgType::string) return;
    const auto value = static_cast<std::uint32_t>(args.value[arg]);
    if (string_of(args.key[arg]) == function_key_) c.function = value;
    if (string_of(args.key[arg]) == reason_key_) c.reason = value;
  }
  Cell text(std::uint32_t string) const {
    return string == 0 ? kUnknown : Cell(std::string(run_.strings[string]));
  }

  const Run& run_;
  const LineIds& lines_;
  std::uint32_t function_key_, reason_key_;
  std::map<Compilation, CompileSums> sums_;
};

}  // namespace

Table compile_table(const Analysis& analysis) {
  Table table{"compile",
              "Compilations",
              {{"what", ColumnType::text},
               {"function", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"count", ColumnType::integer, Unit::count},
               {"total_ns", ColumnType::integer, Unit::ns},
               {"reason", ColumnType::text}},
              {}};
  CompileRows(analysis.run(), analysis.lines()).fill(table);
  (void)sort_by(table, "count");
  (void)sort_by(table, "total_ns");
  return table;
}

}  // namespace laptime
