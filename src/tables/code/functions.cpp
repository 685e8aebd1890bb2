#include "tables/code/functions.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"

#include "tables/run/thread_label.h"
#include "trace/code/call_graph.h"

namespace laptime {

namespace {

Table empty_functions() {
  return {"functions",
          "Functions",
          {{"file", ColumnType::text},
           {"line", ColumnType::integer},
           {"name", ColumnType::text},
           {"ncalls", ColumnType::integer, Unit::count},
           {"primitive_calls", ColumnType::integer, Unit::count},
           {"tottime_ns", ColumnType::integer, Unit::ns},
           {"cumtime_ns", ColumnType::integer, Unit::ns},
           {"tottime_per_call_ns", ColumnType::real, Unit::ns},
           {"cumtime_per_call_ns", ColumnType::real, Unit::ns},
           {"share", ColumnType::real, Unit::share},
           {"note", ColumnType::text},
           {"thread", ColumnType::text}},
          {}};
}

void add_rows(Table& table, const Run& run, const CallGraph& graph, Threads threads) {
  double own_of_all = 0;
  for (const Function& f : graph.functions) own_of_all += static_cast<double>(f.totals.own_ns);
  for (const Function& f : graph.functions) {
    if (!f.counted) continue;
    const Code& code = run.codes[f.code];
    const auto own = static_cast<double>(f.totals.own_ns);
    table.rows.push_back(
        {std::string(run.strings[code.file]), integer_cell(code.first_line),
         std::string(run.strings[code.name]), integer_cell(f.totals.calls),
         integer_cell(f.totals.primitive_calls), integer_cell(f.totals.own_ns),
         integer_cell(f.totals.cumulative_ns), ratio_cell(own, static_cast<double>(f.totals.calls)),
         ratio_cell(static_cast<double>(f.totals.cumulative_ns),
                    static_cast<double>(f.totals.primitive_calls)),
         ratio_cell(own, own_of_all), f.cut ? Cell("over budget: counted in part") : kUnknown,
         threads_cell(f.threads, run, threads)});
  }
}

}  // namespace

Table functions_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = empty_functions();
  add_rows(table, run, build_call_graph(run), Threads::together);
  (void)sort_by(table, "cumtime_ns");
  return table;
}

Table functions_by_thread_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = empty_functions();
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track)
    if (run.tracks[track].tallies.size() != 0)
      add_rows(table, run, build_call_graph(run, track), Threads::apart);
  (void)sort_by(table, "cumtime_ns");
  return table;
}

}  // namespace laptime
