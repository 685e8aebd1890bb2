#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tables/code/in_steps.h"
#include "tables/compare/compare.h"
#include "tables/run/tables.h"
#include "tables/steps/steps_table.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// A compared table: the columns that align its rows, and the number that is compared.
struct Alignment {
  const char* table;
  std::vector<const char*> keys;
  const char* value;
  enum class Per { already_a_step, step, recorded_step } per;
};

const Alignment kAlignments[] = {
    {"breakdown", {"view", "category", "phase"}, "ns_per_step", Alignment::Per::already_a_step},
    {"lines", {"file", "function", "source", "phase"}, "self_ns", Alignment::Per::step},
    {"ops", {"name"}, "self_cpu_ns", Alignment::Per::recorded_step},
    {"kernels", {"name"}, "total_ns", Alignment::Per::recorded_step},
    {"scopes", {"name", "thread", "phase"}, "self_ns", Alignment::Per::step},
    {"functions", {"file", "name", "phase"}, "tottime_ns", Alignment::Per::step},
};

struct Sides {
  double a = 0, b = 0;
  double change() const { return b - a; }
};
using Aligned = std::map<std::vector<std::string>, Sides>;

// The kind of tally, for tables that have tallies by step. Then only what happened within steps is
// compared, by phase.
std::optional<TallyKind> tallied_of(const Alignment& alignment) {
  const std::string_view table = alignment.table;
  if (table == "lines") return TallyKind::line;
  if (table == "functions") return TallyKind::call;
  return std::nullopt;
}

// The number of steps, or of steps with recorded ops. 1 for a run without steps, whose totals are
// compared.
double steps_of(const Analysis& run, bool recorded_only) {
  const Table steps = steps_table(run);
  if (!recorded_only) return steps.rows.empty() ? 1 : static_cast<double>(steps.rows.size());
  const auto recorded = find_column(steps, "recorded");
  const auto count = std::count_if(steps.rows.begin(), steps.rows.end(), [&](const Row& row) {
    return row[*recorded] == Cell(std::int64_t{1});
  });
  return count == 0 ? 1 : static_cast<double>(count);
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

// The two runs may be in different folders, so a file is identified by its name.
std::string key_text(const char* column, const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  if (!text) return "";
  return std::string_view(column) == "file" ? std::filesystem::path(*text).filename().string()
                                            : *text;
}

// The ops of a run. Table `ops` compares them: other tables contain them for other steps.
std::set<std::string> op_names(const Analysis& run) {
  const auto definition = find_table("ops");
  const Table ops = (*definition)->make(run);
  const auto name = find_column(ops, "name");
  std::set<std::string> names;
  for (const Row& row : ops.rows) names.insert(key_text("name", row[*name]));
  return names;
}

void add_side(const Analysis& run, const Alignment& alignment, const TableDefinition& definition,
              double Sides::* side, Aligned& aligned) {
  if (const auto tallied = tallied_of(alignment); tallied && !run.steps().empty()) {
    for (const TalliedInSteps& each : sum_tallies_in_steps(run, *tallied)) {
      std::vector<std::string> key{key_text("file", each.file), each.function};
      if (*tallied == TallyKind::line) key.push_back(each.source);
      key.push_back(each.phase);
      aligned[key].*side += each.ns_a_step;
    }
    return;
  }
  if (std::string_view(alignment.table) == "scopes" && !run.steps().empty()) {
    const std::set<std::string> ops = op_names(run);
    for (const ScopeInSteps& each : sum_scopes_in_steps(run))
      if (!ops.contains(each.name))
        aligned[{each.name.empty() ? "(unnamed)" : each.name, each.thread, each.phase}].*side +=
            each.ns_a_step;
    return;
  }
  const Table table = definition.make(run);
  const auto value = find_column(table, alignment.value);
  if (!value) return;
  std::vector<std::optional<std::size_t>> keys;
  for (const char* key : alignment.keys)
    keys.push_back(find_column(table, key));  // not found: `phase`, if a run has no steps
  const double steps = alignment.per == Alignment::Per::already_a_step
                           ? 1
                           : steps_of(run, alignment.per == Alignment::Per::recorded_step);
  for (const Row& row : table.rows) {
    const auto number = number_of(row[*value]);
    if (!number) continue;
    std::vector<std::string> key;
    for (std::size_t i = 0; i < keys.size(); ++i)
      key.push_back(keys[i] ? key_text(alignment.keys[i], row[*keys[i]]) : "");
    aligned[key].*side += *number / steps;
  }
}

constexpr ColumnOf<Sides> kSideColumns[] = {
    {"a_ns", Unit::ns, "Time a step in A.", [](auto& sides) { return sides.a; }},
    {"b_ns", Unit::ns, "Time a step in B.", [](auto& sides) { return sides.b; }},
    {"change_ns", Unit::ns, "B less A.", [](auto& sides) { return sides.change(); }},
    {"ratio", Unit::factor, "B over A.", [](auto& sides) { return ratio(sides.b, sides.a); }}};
constexpr TableOf<Sides> kCompared{"compare", kSideColumns};

Table make_table(const Alignment& alignment, const Aligned& aligned) {
  Table table =
      kCompared.empty(std::string("Time a step by ") + alignment.table + ", largest change first");
  table.name = std::string("compare_") + alignment.table;
  std::vector<Column> keys;
  for (const char* key : alignment.keys) keys.push_back({key, ColumnType::text});
  table.columns.insert(table.columns.begin(), keys.begin(), keys.end());
  std::vector<std::pair<std::vector<std::string>, Sides>> rows(aligned.begin(), aligned.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) {
    return std::abs(x.second.change()) > std::abs(y.second.change());
  });
  for (const auto& [key, sides] : rows) {
    Row row = kCompared.row(sides);
    row.insert(row.begin(), key.begin(), key.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}
}  // namespace

std::vector<Table> compare_tables(const Analysis& a, const Analysis& b) {
  std::vector<Table> tables;
  for (const Alignment& alignment : kAlignments) {
    const auto definition = find_table(alignment.table);
    if (!definition) continue;
    Aligned aligned;
    add_side(a, alignment, **definition, &Sides::a, aligned);
    add_side(b, alignment, **definition, &Sides::b, aligned);
    if (!aligned.empty()) tables.push_back(make_table(alignment, aligned));
  }
  return tables;
}

}  // namespace laptime
