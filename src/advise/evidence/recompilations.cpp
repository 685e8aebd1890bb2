#include "advise/evidence/recompilations.h"

#include <algorithm>

#include "tables/code/compile.h"

namespace laptime {

namespace {

class Cells {
 public:
  explicit Cells(const Table& table) : table_(table) {}

  std::string text(const Row& row, const char* name) const {
    const auto* found = std::get_if<std::string>(&row[column(name)]);
    return found ? *found : "";
  }
  std::int64_t number(const Row& row, const char* name) const {
    const auto* found = std::get_if<std::int64_t>(&row[column(name)]);
    return found ? *found : 0;
  }

 private:
  std::size_t column(const char* name) const { return *find_column(table_, name); }

  const Table& table_;
};

}  // namespace

Recompilations find_recompilations(const Evidence& evidence, std::string_view first,
                                   std::string_view again) {
  const Table table = compile_table(evidence.analysis());
  const Cells cells(table);
  Recompilations all;
  double first_ns = 0;
  for (const Row& row : table.rows) {  // in falling order of time
    const std::string what = cells.text(row, "what");
    const auto ns = static_cast<double>(cells.number(row, "total_ns"));
    if (what == first) first_ns += ns;
    if (what != again) continue;
    if (all.count == 0) {
      all.file = cells.text(row, "file"), all.reason = cells.text(row, "reason");
      all.function = cells.text(row, "function");
      all.line = static_cast<std::uint32_t>(cells.number(row, "line"));
    }
    all.count += cells.number(row, "count");
    all.ns += ns;
  }
  const auto steps =
      static_cast<double>(std::max<std::size_t>(evidence.main_phase().steps().size(), 1));
  all.part = {all.ns / steps, 0};
  const double counted = evidence.host(HostCategory::compile).ns;
  all.step_ns = evidence.step_ns() + std::max(0.0, (all.ns + first_ns) / steps - counted);
  return all;
}

}  // namespace laptime
