#include "tables/run/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>

namespace laptime {

namespace {

constexpr std::array<const char*, 7> kUnitNames{"",      "ns",         "bytes", "share",
                                                "count", "per_second", "factor"};
constexpr std::array<const char*, 4> kTypeNames{"text", "integer", "real", "mixed"};

// Names of torch and of users for columns that have other names here.
struct Alias {
  std::string_view theirs, ours;
};
constexpr Alias kAliases[] = {{"count", "calls"},
                              {"cpu_time", "mean_ns"},
                              {"cpu_time_total", "cpu_ns"},
                              {"self_cpu_time_total", "self_cpu_ns"},
                              {"gpu", "gpu_ns"},
                              {"self_gpu", "self_gpu_ns"},
                              {"cuda_time_total", "gpu_ns"},
                              {"self_cuda_time_total", "self_gpu_ns"},
                              {"device_time_total", "gpu_ns"},
                              {"self_device_time_total", "self_gpu_ns"},
                              {"self_cpu_memory_usage", "self_bytes"},
                              {"cpu_memory_usage", "self_bytes"},
                              {"self_cuda_memory_usage", "self_bytes"},
                              {"cuda_memory_usage", "self_bytes"},
                              {"self_device_memory_usage", "self_bytes"},
                              {"device_memory_usage", "self_bytes"}};

std::optional<std::size_t> find_column_or_alias(const Table& table, std::string_view name) {
  if (const auto index = find_column(table, name)) return index;
  const auto alias = std::find_if(std::begin(kAliases), std::end(kAliases),
                                  [&](const Alias& a) { return a.theirs == name; });
  return alias == std::end(kAliases) ? std::nullopt : find_column(table, alias->ours);
}

// Numbers come before texts, texts before unknowns.
int rank(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return 2;
  return std::holds_alternative<std::string>(cell) ? 1 : 0;
}

double number(const Cell& cell) {
  if (const auto* i = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*i);
  return std::get<double>(cell);
}

bool stands_before(const Cell& a, const Cell& b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (rank(a) == 2) return false;
  if (rank(a) == 1) return std::get<std::string>(a) < std::get<std::string>(b);
  if (const auto *x = std::get_if<std::int64_t>(&a), *y = std::get_if<std::int64_t>(&b); x && y)
    return *x > *y;
  return number(a) > number(b);
}

}  // namespace

const char* unit_name(Unit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

Unit unit_from_name(std::string_view name) {
  const auto it = std::find(kUnitNames.begin(), kUnitNames.end(), name);
  return it == kUnitNames.end() ? Unit::none : static_cast<Unit>(it - kUnitNames.begin());
}

const char* type_name(ColumnType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

Cell ratio_cell(double numerator, double denominator) {
  if (denominator == 0) return kUnknown;
  return numerator / denominator;
}

std::optional<std::size_t> find_column(const Table& table, std::string_view name) {
  const auto it = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const Column& c) { return c.name == name; });
  if (it == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(it - table.columns.begin());
}

Status sort_by(Table& table, std::string_view column) {
  const auto index = find_column_or_alias(table, column);
  if (!index) {
    std::vector<std::string_view> names;
    for (const Column& c : table.columns) names.push_back(c.name);
    return fail(ErrorKind::usage, fmt::format("table {} has no column '{}'; its columns are {}",
                                              table.name, column, fmt::join(names, ", ")));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [i = *index](const Row& a, const Row& b) { return stands_before(a[i], b[i]); });
  return {};
}

void keep_top(Table& table, std::size_t rows) {
  if (table.rows.size() > rows) table.rows.resize(rows);
}

void show_prominently(Table& table, std::string_view column) {
  if (const auto index = find_column(table, column))
    table.columns[*index].prominence = Prominence::prominent;
}

void keep_columns(Table& table, std::span<const std::string_view> names) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (std::find(names.begin(), names.end(), table.columns[i].name) != names.end()) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (Row& row : table.rows) row.erase(row.begin() + at);
  }
}

}  // namespace laptime
