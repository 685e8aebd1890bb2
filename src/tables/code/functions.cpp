#include "tables/code/functions.h"

#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/code/call_graph.h"
namespace laptime {

namespace {

struct FunctionRow {
  const Run& run;
  const Function& function;
  Threads threads;
  double own_of_all;  // ns

  const Code& code() const { return run.codes[function.code]; }
  const CallTotals& totals() const { return function.totals; }
};

constexpr ColumnOf<FunctionRow> kFunctionColumns[] = {
    {"file", "The function's file.", [](auto& r) { return r.run.strings[r.code().file]; }},
    {"line", "Its first line.", [](auto& r) { return r.code().first_line; }},
    {"name", "Its name.", [](auto& r) { return r.run.strings[r.code().name]; }},
    {"ncalls", Unit::count, "How many calls.", [](auto& r) { return r.totals().calls; }},
    {"primitive_calls", Unit::count, "How many calls that are not recursive.",
     [](auto& r) { return r.totals().primitive_calls; }},
    {"tottime_ns", Unit::ns, "Its own time.", [](auto& r) { return r.totals().own_ns; }},
    {"cumtime_ns", Unit::ns, "Its time with the functions that it calls.",
     [](auto& r) { return r.totals().cumulative_ns; }},
    {"tottime_per_call_ns", Unit::ns, "Its own time a call.",
     [](auto& r) { return ratio(r.totals().own_ns, r.totals().calls); }},
    {"cumtime_per_call_ns", Unit::ns, "`cumtime_ns` a primitive call.",
     [](auto& r) { return ratio(r.totals().cumulative_ns, r.totals().primitive_calls); }},
    {"share", Unit::share, "Its own time against that of all; with `--by thread` of the thread.",
     [](auto& r) { return ratio(r.totals().own_ns, r.own_of_all); }},
    {"note", "Marks functions that were too costly to count in full.",
     [](auto& r) {
       return r.function.cut ? std::optional("over budget: counted in part") : std::nullopt;
     }},
    {"thread", "The thread, if several threads were counted.",
     [](auto& r) { return threads_text(r.function.threads, r.run, r.threads); }}};
constexpr TableOf<FunctionRow> kFunctions{"functions", kFunctionColumns};

constexpr Grouping kFunctionGroupings[] = {{"function", functions_table},
                                           {"thread", functions_by_thread_table}};

void add_rows(Table& table, const Run& run, const CallGraph& graph, Threads threads) {
  double own_of_all = 0;
  for (const Function& f : graph.functions) own_of_all += static_cast<double>(f.totals.own_ns);
  for (const Function& f : graph.functions)
    if (f.counted) kFunctions.add(table, {run, f, threads, own_of_all});
}

}  // namespace

Table functions_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kFunctions.empty("Functions");
  add_rows(table, run, build_call_graph(run), Threads::together);
  (void)sort_by(table, "cumtime_ns");
  return table;
}

Table functions_by_thread_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kFunctions.empty("Functions");
  for (std::uint32_t track = 0; track < run.tracks.size(); ++track)
    if (run.tracks[track].tallies.size() != 0)
      add_rows(table, run, build_call_graph(run, track), Threads::apart);
  (void)sort_by(table, "cumtime_ns");
  return table;
}

constinit const TableDefinition kFunctionsTable =
    define_table<kFunctions>("calls and time by function, as cProfile counts them",
                             "Threads are added up. `--by thread` gives each thread its own rows.",
                             functions_table, kFunctionGroupings);

}  // namespace laptime
