#include "cli/run/first_screen.h"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

#include "advise/advice.h"
#include "advise/evidence/main_phase.h"
#include "advise/verdict.h"
#include "advise/words.h"
#include "base/humane.h"
#include "cli/overview.h"
#include "format/names.h"
#include "show/screen_text.h"
#include "tables/code/functions.h"
#include "tables/code/lines.h"
#include "tables/code/package_lines.h"
#include "tables/code/step_lines.h"
#include "tables/gpu/kernels.h"
#include "tables/run/scopes.h"
#include "tables/run/warnings.h"
#include "tables/steps/breakdown.h"
#include "tables/steps/steps_table.h"
#include "trace/analysis.h"
#include "trace/run_cost.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// If one line of the program takes this share, the first screen shows the packages' lines below it.
constexpr double kMostOfAStep = 0.5;
constexpr double kLeastOfAStep = 0.01;  // of a package's line that gets a row
constexpr std::size_t kPackageRows = 3;
constexpr std::size_t kRows = 5, kStepRows = 3, kAdviceRows = 3, kPlainRows = 4;

const Cell& cell(const Table& table, const Row& row, std::string_view column) {
  const auto index = find_column(table, column);
  return index ? row[*index] : kUnknown;
}
std::string text(const Table& table, const Row& row, std::string_view column) {
  const auto* found = std::get_if<std::string>(&cell(table, row, column));
  return found ? *found : "";
}
double number(const Table& table, const Row& row, std::string_view column) {
  const auto* found = std::get_if<double>(&cell(table, row, column));
  return found ? *found : 0;
}

Table columns_of(Table table, std::initializer_list<std::string_view> names) {
  keep_columns(table, {names.begin(), names.size()});
  return table;
}

Table top_of(Table table, std::size_t rows, const char* title) {
  keep_top(table, rows);
  table.title = title;
  return table;
}

// Short texts of file and line.
class Places {
 public:
  explicit Places(const std::string& directory) : directory_(directory) {}
  std::string of(const Table& table, const Row& row) const {
    const std::string file = text(table, row, "file");
    const auto* line = std::get_if<std::int64_t>(&cell(table, row, "line"));
    if (file.empty()) return "";
    return line ? fmt::format("{}:{}", shorter_path(file, directory_), *line)
                : shorter_path(file, directory_);
  }

 private:
  const std::string& directory_;
};

bool has_one_text(const Table& table, std::string_view column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    return text(table, row, column) == text(table, table.rows.front(), column);
  });
}

Table step_rows(const Analysis& analysis) {
  Table table = step_summary_table(analysis);
  (void)sort_by(table, "mean_ns");
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const Row& a, const Row& b) {
    return text(table, a, "phase") == "train" && text(table, b, "phase") != "train";
  });
  const bool one_thread = has_one_text(table, "thread");
  table =
      one_thread
          ? columns_of(std::move(table), {"phase", "steps", "median_ns", "p5_ns", "p95_ns",
                                          "steps_per_s", "samples_per_s", "slow", "slow_share"})
          : columns_of(std::move(table), {"phase", "thread", "steps", "median_ns", "p95_ns",
                                          "steps_per_s", "samples_per_s", "slow", "slow_share"});
  return top_of(std::move(table), kStepRows, "Steps");
}

// A step of the phase by category: the largest parts, and the others as one row.
Table step_parts(const Analysis& analysis, const std::string& phase) {
  const Table all = breakdown_table(analysis);
  Table parts{"breakdown",
              "A " + step_of_phase(phase),
              {{"part", ColumnType::text},
               {"per step", ColumnType::real, Unit::ns},
               {"share", ColumnType::real, Unit::share}},
              {}};
  Table gpu = parts;
  for (const Row& row : all.rows) {
    if (text(all, row, "phase") != phase) continue;
    const std::string view = text(all, row, "view"), category = text(all, row, "category");
    const bool is_host = view == "host";
    (is_host ? parts : gpu)
        .rows.push_back({is_host ? category : fmt::format("{}: {}", view, category),
                         cell(all, row, "ns_per_step"), cell(all, row, "share")});
  }
  const auto keep_largest = [](Table& table, std::size_t count) {
    (void)sort_by(table, "per step");
    if (table.rows.size() <= count) return;
    Row rest{fmt::format("{} others", table.rows.size() - count + 1), 0.0, 0.0};
    for (std::size_t i = count - 1; i < table.rows.size(); ++i)
      for (const std::size_t column : {1, 2})
        std::get<double>(rest[column]) += std::get<double>(table.rows[i][column]);
    table.rows.resize(count - 1);
    table.rows.push_back(std::move(rest));
  };
  const bool has_gpu = !gpu.rows.empty();
  keep_largest(parts, has_gpu ? kRows - 2 : kRows);
  keep_largest(gpu, kRows - 2);
  parts.rows.insert(parts.rows.end(), gpu.rows.begin(), gpu.rows.end());
  return parts;
}

// transformers/models/gpt2/modeling_gpt2.py:312
std::string package_place(const PackageLine& line) {
  constexpr std::string_view kInstalled = "-packages/";
  const std::size_t at = line.file.rfind(kInstalled);
  return fmt::format("  {}:{}",
                     at == std::string::npos ? line.file : line.file.substr(at + kInstalled.size()),
                     line.line);
}

// If a step's first line takes most of it and packages run below that line: the packages' lines
// with the most time.
std::vector<Row> rows_below(const Analysis& analysis, const Table& lines,
                            const std::string& phase) {
  const auto first = std::find_if(lines.rows.begin(), lines.rows.end(), [&](const Row& row) {
    return text(lines, row, "phase") == phase;
  });
  std::vector<Row> rows;
  if (first == lines.rows.end()) return rows;
  const double step_ns = number(lines, *first, "share") > 0
                             ? number(lines, *first, "self_ns") / number(lines, *first, "share")
                             : 0;
  if (step_ns <= 0 || std::max(number(lines, *first, "self_ns"), number(lines, *first, "gpu_ns")) <
                          kMostOfAStep * step_ns)
    return rows;
  const auto* const number_of_line = std::get_if<std::int64_t>(&cell(lines, *first, "line"));
  for (const PackageLine& line : package_lines(analysis)) {
    if (rows.size() == kPackageRows) break;
    if (line.most_ns() < kLeastOfAStep * step_ns) continue;
    if (analysis.run().strings[line.phase] != phase ||
        line.user_file != text(lines, *first, "file") || !number_of_line ||
        line.user_line != *number_of_line)
      continue;
    rows.push_back(
        {package_place(line), line.op_ns + line.backward_ns,
         fmt::format("{:.0f} %", 100 * line.share), line.gpu_ns ? Cell(*line.gpu_ns) : kUnknown,
         line.module.empty() ? line.function : fmt::format("{} ({})", line.function, line.module)});
  }
  return rows;
}

Table step_line_rows(const Analysis& analysis, const std::string& phase, const Places& places) {
  const Table all = step_lines_table(analysis);
  Table table{"lines",
              "Lines of a " + step_of_phase(phase),
              {{"line", ColumnType::text},
               {"self", ColumnType::real, Unit::ns},
               {"share", ColumnType::real},
               {"gpu", ColumnType::real, Unit::ns},
               {"source", ColumnType::text, Unit::none, Prominence::prominent}},
              {}};
  std::vector<Row> below = rows_below(analysis, all, phase);
  for (const Row& row : all.rows) {
    if (table.rows.size() + below.size() == kRows) break;
    if (text(all, row, "phase") != phase) continue;
    table.rows.push_back({places.of(all, row), cell(all, row, "self_ns"),
                          fmt::format("{:.0f} %", 100 * number(all, row, "share")),
                          cell(all, row, "gpu_ns"), cell(all, row, "source")});
    if (table.rows.size() > 1) continue;
    table.rows.insert(table.rows.end(), std::make_move_iterator(below.begin()),
                      std::make_move_iterator(below.end()));
    below.clear();
  }
  return table;
}

std::string short_gain(const Table& advice, const Row& row) {
  if (cell(advice, row, "gain") == kUnknown) return "a risk";
  const std::string gain = fmt::format("{:.2f} ×", number(advice, row, "gain"));
  return cell(advice, row, "gain_bound") == kUnknown
             ? gain
             : fmt::format("{} (at most {:.2f})", gain, number(advice, row, "gain_bound"));
}

Table advice_rows(const Analysis& analysis, const Places& places) {
  const Table all = advice_table(analysis);
  Table table{"first_advice",
              "What to do",
              {{"gain", ColumnType::text, Unit::none, Prominence::prominent},
               {"rule", ColumnType::text},
               {"line", ColumnType::text},
               {"fix", ColumnType::text, Unit::none, Prominence::prominent}},
              {}};
  if (all.rows.size() > kAdviceRows)
    table.title += fmt::format(" (first {} of {})", kAdviceRows, all.rows.size());
  for (const Row& row : all.rows) {
    if (table.rows.size() == kAdviceRows) break;
    table.rows.push_back(
        {short_gain(all, row), cell(all, row, "rule"), places.of(all, row), cell(all, row, "fix")});
  }
  return table;
}

std::vector<Table> training_tables(const Analysis& analysis, const Places& places) {
  std::vector<Table> tables{step_rows(analysis)};
  if (const MainPhase main_phase(analysis); !main_phase.empty()) {
    const std::string phase(analysis.run().strings[main_phase.phase()]);
    tables.push_back(step_parts(analysis, phase));
    tables.push_back(step_line_rows(analysis, phase, places));
  }
  tables.push_back(advice_rows(analysis, places));
  return tables;
}

// Lines and functions, for a program that does not train or has no known step.
Table timed_rows(Table all, const char* title, std::initializer_list<std::string_view> columns,
                 const Places& places) {
  Table table{all.name, title, {{"line", ColumnType::text}}, {}};
  keep_top(all, kRows);
  for (const std::string_view column : columns)
    if (const auto at = find_column(all, column)) table.columns.push_back(all.columns[*at]);
  for (const Row& row : all.rows) {
    Row shown{places.of(all, row)};
    for (const std::string_view column : columns) shown.push_back(cell(all, row, column));
    table.rows.push_back(std::move(shown));
  }
  return table;
}

std::vector<Table> plain_tables(const Analysis& analysis, const Places& places) {
  return {
      step_rows(analysis),
      top_of(columns_of(scopes_table(analysis),
                        {"name", "calls", "total_ns", "self_ns", "p50_ns", "p95_ns", "share"}),
             kPlainRows, "Scopes"),
      timed_rows(lines_table(analysis), "Lines", {"time_ns", "self_ns", "hits", "source"}, places),
      timed_rows(functions_table(analysis), "Functions",
                 {"name", "ncalls", "tottime_ns", "cumtime_ns"}, places),
      top_of(columns_of(kernels_table<KernelGrouping::line>(analysis),
                        {"name", "calls", "total_ns", "share"}),
             kStepRows, "Kernels")};
}

std::string shortened(const std::string& line, std::size_t width) {
  return width == 0 || screen_width(line) <= width ? line : shorten_middle(line, width);
}

std::string warning_line(const Analysis& analysis, std::size_t width) {
  const Table warnings = warnings_table(analysis);
  if (warnings.rows.empty()) return "";
  const Row& first = warnings.rows.front();
  const std::string more =
      warnings.rows.size() > 1
          ? fmt::format(" (and {} more: laptime report … warnings)", warnings.rows.size() - 1)
          : "";
  const std::string line =
      fmt::format("warning: {} ({}): {}", text(warnings, first, "name"),
                  humane_count(std::get<std::int64_t>(cell(warnings, first, "count"))),
                  text(warnings, first, "message"));
  return printable(
             shortened(line, width > screen_width(more) ? width - screen_width(more) : width)) +
         more + "\n";
}

// Whether a collector saw the framework of a process at work.
bool has_framework_records(const Run& run, std::size_t process) {
  return std::any_of(run.tracks.begin(), run.tracks.end(), [&](const Track& track) {
    return track.process == process &&
           std::any_of(track.spans.kind.begin(), track.spans.kind.end(), [](SpanKind kind) {
             return kind == SpanKind::dispatch || kind == SpanKind::op || kind == SpanKind::loader;
           });
  });
}

// For a program that trains with a framework, if little of that is recorded.
std::string framework_line(const Run& run) {
  for (std::size_t p = 0; p < run.processes.size(); ++p) {
    const std::string_view frameworks =
        property_text(run.processes[p].properties, property::kFrameworks);
    if (frameworks.empty() || has_framework_records(run, p)) continue;
    const char* const name = frameworks.starts_with("tensorflow") ? "TensorFlow" : "JAX";
    return fmt::format(
        "{}: your lines and GPU work are recorded; its ops, steps and input are not. "
        "laptime.step() marks steps.\n",
        name);
  }
  return "";
}

std::string closing_line(const Analysis& analysis, const std::string& file) {
  const Run& run = analysis.run();
  std::string line =
      fmt::format("{}: {}", printable(file), humane_bytes(static_cast<double>(run.file_bytes)));
  if (const auto cost = find_run_cost(analysis))
    line += fmt::format("; cost {:.1f} % ({:.1f}–{:.1f})", 100 * cost->share, 100 * cost->low,
                        100 * cost->high);
  return fmt::format("{}; next: laptime report {}\n", line, printable(file));
}

}  // namespace

std::string first_screen(const Analysis& analysis, const std::string& file, TerminalStyle style) {
  const Run& run = analysis.run();
  style.compact = true;
  style.width = style.width == 0 ? kFirstScreenWidth : std::min(style.width, kFirstScreenWidth);
  const Places places(style.directory);
  std::vector<Table> tables =
      is_training(run) ? training_tables(analysis, places) : plain_tables(analysis, places);
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  std::string out = "\n";
  if (const std::string sentence = verdict(analysis); !sentence.empty())
    out += wrapped(printable(sentence) + ".", style.width);
  out += to_terminal(tables, style);
  if (run.processes.empty())
    out +=
        "The program recorded nothing: link it with liblaptime and mark scopes and steps "
        "(laptime.hpp).\n";
  if (!is_training(run)) out += framework_line(run);
  return out + warning_line(analysis, style.width) + closing_line(analysis, file);
}

}  // namespace laptime
