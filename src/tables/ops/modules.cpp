#include "tables/ops/modules.h"

#include <algorithm>
#include <map>

#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/ops/op_times.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

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

// What is known of the time in ops, and of what GPUs did for them.
struct KnownTimes {
  std::vector<OpTimes> times;  // by place
  bool ops = false, gpu = false;

  explicit KnownTimes(const Analysis& analysis) : times(analysis.op_times()), ops(!times.empty()) {
    const std::vector<std::uint64_t> gpu_ns = gpu_ns_by_place(analysis.run(), analysis.gpu());
    gpu = !gpu_ns.empty();
    times.resize(std::max(times.size(), gpu_ns.size()));
    for (std::size_t place = 0; place < gpu_ns.size(); ++place) times[place].gpu_ns = gpu_ns[place];
  }
  Cell op_cell(std::uint64_t number) const { return ops ? integer_cell(number) : kUnknown; }
  Cell gpu_cell(std::uint64_t ns) const { return gpu ? integer_cell(ns) : kUnknown; }
};

}  // namespace

Table modules_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"modules",
              "Modules" + from_recorded(analysis.run(), analysis.steps()),
              {{"module", ColumnType::text},
               {"calls", ColumnType::integer, Unit::count},
               {"forward_ns", ColumnType::integer, Unit::ns},
               {"backward_ns", ColumnType::integer, Unit::ns},
               {"self_ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"total_ns", ColumnType::integer, Unit::ns},
               {"gpu_ns", ColumnType::integer, Unit::ns}},
              {}};
  std::map<std::uint32_t, OpTimes> by_name;  // several places have one module
  OpTimes sum;
  const KnownTimes known(analysis);
  for (std::size_t place = 0; place < known.times.size(); ++place) {
    if (!known.times[place].any()) continue;
    by_name[run.places[place].module].add(known.times[place]);
    sum.add(known.times[place]);
  }
  std::map<std::string, ModuleTimes, std::less<>> modules;
  for (const auto& [name, own] : by_name) {
    const std::string path(name == 0 ? kNoModule : run.strings[name]);
    for_each_enclosing(path, [&, &own = own](std::string_view outer) {
      modules[std::string(outer)].all.add(own);
    });
    modules[path].self_ns += own.total_ns();
  }
  for (const auto& [path, m] : modules)
    table.rows.push_back(
        {path, known.op_cell(m.all.calls), known.op_cell(m.all.forward_ns),
         known.op_cell(m.all.backward_ns), known.op_cell(m.self_ns),
         ratio_cell(static_cast<double>(m.all.total_ns()), static_cast<double>(sum.total_ns())),
         known.op_cell(m.all.total_ns()), known.gpu_cell(m.all.gpu_ns)});
  (void)sort_by(table, "gpu_ns");
  (void)sort_by(table, "total_ns");
  return table;
}

}  // namespace laptime
