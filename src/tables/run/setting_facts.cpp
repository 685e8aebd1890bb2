#include "tables/run/setting_facts.h"

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <string_view>

#include "format/names.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr std::string_view kGroups[] = {
    property::kLoader,     property::kOptimizer, property::kTorch,
    property::kDataset,    property::kModel,     property::kKeras,
    property::kTensorflow, property::kCpus,      property::kRank};

bool is_setting(std::string_view key) {
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [&](std::string_view group) { return key.starts_with(group); });
}

// A real number always has a point.
std::string text_of(const Property& value) {
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("{:#}", *real);
  if (const auto* const integer = std::get_if<std::int64_t>(&value))
    return std::to_string(*integer);
  return std::get<std::string>(value);
}

struct SettingRow {
  const std::string& key;
  const Property& value;
  std::uint32_t pid;
};

constexpr ColumnOf<SettingRow> kSettingColumns[] = {
    {"key", "The loader, optimizer or switch, and which setting.",
     [](auto& r) { return std::string_view(r.key); }},
    {"value", "Its value.", [](auto& r) { return text_of(r.value); }},
    {"pid", "The process.", [](auto& r) { return r.pid; }}};
constexpr TableOf<SettingRow> kSettings{"settings", kSettingColumns};

}  // namespace

Table settings_table(const Analysis& analysis) {
  Table table = kSettings.empty("Settings");
  for (const Process& process : analysis.run().processes)
    for (const auto& [key, value] : process.properties)
      if (is_setting(key)) kSettings.add(table, {key, value, process.pid});
  return table;
}

constinit const TableDefinition kSettingsTable = define_table<kSettings>(
    "how the program set its framework up",
    "Some advice rests on them. docs/records.md lists the keys.", settings_table);

}  // namespace laptime
