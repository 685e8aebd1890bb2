#include "tables/code/compile.h"

#include <map>

#include "format/names.h"
#include "tables/code/line_columns.h"
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

struct CompileRow {
  const Run& run;
  const LineIds& lines;
  const Compilation& compilation;
  const CompileSums& sums;
};

constexpr ColumnOf<CompileRow> kCompileColumns[] = {
    {"what",
     "What was done: `torch.compile`, `graph break`, `tf.function tracing`, `XLA compile` ….",
     [](auto& r) { return r.run.strings[r.compilation.what]; }},
    {"function", "The function that was compiled.",
     [](auto& r) { return string_at(r.run, r.compilation.function); }},
    {"file", "The file of its line, or of the line that breaks the graph.",
     [](auto& r) { return file_at(r.lines, r.compilation.line); }},
    {"line", "That line.", [](auto& r) { return line_at(r.lines, r.compilation.line); }},
    {"count", Unit::count, "How often.", [](auto& r) { return r.sums.count; }},
    {"total_ns", Unit::ns, "How long all of them took.", [](auto& r) { return r.sums.total_ns; }},
    {"reason", "Why, as the compiler reports it; of a retracing the argument that changed.",
     [](auto& r) { return string_at(r.run, r.compilation.reason); }}};
constexpr TableOf<CompileRow> kCompile{"compile", kCompileColumns};

class CompileRows {
 public:
  CompileRows(const Run& run, const LineIds& lines)
      : run_(run),
        lines_(lines),
        function_key_(run.strings.find(arg_name::kFunction)),
        reason_key_(run.strings.find(arg_name::kReason)) {
    for (const Track& track : run.tracks) add(track.spans);
  }

  void fill(Table& table) const {
    for (const auto& [compilation, sums] : sums_)
      kCompile.add(table, {run_, lines_, compilation, sums});
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

  const Run& run_;
  const LineIds& lines_;
  std::uint32_t function_key_, reason_key_;
  std::map<Compilation, CompileSums> sums_;
};

}  // namespace

Table compile_table(const Analysis& analysis) {
  Table table = kCompile.empty("Compilations");
  CompileRows(analysis.run(), analysis.lines()).fill(table);
  (void)sort_by(table, "count");
  (void)sort_by(table, "total_ns");
  return table;
}

constinit const TableDefinition kCompileTable =
    define_table<kCompile>("compilations, retraces, recompilations and graph breaks", R"(
Equal ones are one row. A function with several rows, or with a count above one, was compiled or
traced again: `reason` says why.)",
                           compile_table);

}  // namespace laptime
