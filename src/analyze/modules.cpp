#include "analyze/modules.h"

#include <map>

#include "analyze/op_times.h"
#include "analyze/steps.h"

namespace laptime {

namespace {

constexpr const char* kNoModule = "(none)";

struct ModuleTimes {
  OpTimes all;
  std::uint64_t self_ns = 0;
};

// Calls visit with "a.b.c", "a.b" and "a".
template <typename Visit>
void for_each_enclosing(std::string_view path, Visit visit) {
  for (;;) {
    visit(path);
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return;
    path = path.substr(0, dot);
  }
}

}  // namespace

Table modules_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"modules",
              "Modules" + from_recorded_steps(analysis.steps()),
              {{"module", ColumnType::text},
               {"calls", ColumnType::integer, Unit::count},
               {"forward_ns", ColumnType::integer, Unit::ns},
               {"backward_ns", ColumnType::integer, Unit::ns},
               {"self_ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"total_ns", ColumnType::integer, Unit::ns}},
              {}};
  std::map<std::uint32_t, OpTimes> by_name;  // several places have one module
  OpTimes sum;
  const std::vector<OpTimes>& times = analysis.op_times();
  for (std::size_t place = 0; place < times.size(); ++place) {
    if (!times[place].any()) continue;
    by_name[run.places[place].module].add(times[place]);
    sum.add(times[place]);
  }
  std::map<std::string, ModuleTimes, std::less<>> modules;
  for (const auto& [name, own] : by_name) {
    const std::string path(name == 0 ? kNoModule : run.strings[name]);
    for_each_enclosing(path, [&, &own = own](std::string_view outer) { modules[std::string(outer)].all.add(own); });
    modules[path].self_ns += own.total_ns();
  }
  for (const auto& [path, m] : modules)
    table.rows.push_back({path, integer_cell(m.all.calls), integer_cell(m.all.forward_ns), integer_cell(m.all.backward_ns), integer_cell(m.self_ns),
                          ratio_cell(static_cast<double>(m.all.total_ns()), static_cast<double>(sum.total_ns())), integer_cell(m.all.total_ns())});
  (void)sort_by(table, "total_ns");
  return table;
}

}  // namespace laptime
