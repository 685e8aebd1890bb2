#include "tables/run/run_facts.h"

#include <fmt/chrono.h>
#include <algorithm>
#include <ctime>

#include "trace/analysis.h"
#include "trace/run/property_number.h"
#include "trace/run_cost.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// A property of the run as a whole, else of its first process.
Cell text_of(const Run& run, const char* key) {
  if (const auto it = run.properties.find(key); it != run.properties.end()) return it->second;
  if (run.processes.empty()) return kUnknown;
  const Properties& first = run.processes.front().properties;
  const auto it = first.find(key);
  return it == first.end() ? kUnknown : Cell(it->second);
}

Cell run_number(const Run& run, const char* key) {
  const auto number = property_number(run.properties, key);
  return number ? Cell(*number) : kUnknown;
}

Cell sum_over_processes(const Run& run, const char* key) {
  std::optional<std::int64_t> sum;
  for (const Process& process : run.processes)
    if (const auto number = property_number(process.properties, key))
      sum = sum.value_or(0) + *number;
  return sum ? Cell(*sum) : kUnknown;
}

Cell date_of(const Run& run) {
  if (run.start_realtime_ns <= 0) return kUnknown;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(run.start_realtime_ns / 1'000'000'000)));
}

std::uint64_t count_threads(const Run& run) {
  return static_cast<std::uint64_t>(
      std::count_if(run.tracks.begin(), run.tracks.end(),
                    [](const Track& t) { return t.kind == TrackKind::thread; }));
}

std::uint64_t count_values(const Run& run) {
  std::uint64_t n = 0;
  for (const Track& t : run.tracks) n += t.values.size();
  return n;
}

struct RunFact {
  const char* key;
  Cell value;
  Unit unit;
};

constexpr ColumnOf<RunFact> kRunColumns[] = {
    {"key", "What the row is about.", [](auto& r) { return r.key; }},
    {"value", "Text or a number; unknown if no part of the run holds it.",
     [](auto& r) { return r.value; }},
    {"unit", "What a number means: `ns`, `bytes`, `share`, `count`.",
     [](auto& r) { return unit_name(r.unit); }}};
constexpr TableOf<RunFact> kRun{"run", kRunColumns};

class RunFacts {
 public:
  void add(const char* key, Cell value, Unit unit = Unit::none) {
    all_.push_back({key, std::move(value), unit});
  }
  std::span<const RunFact> all() const { return all_; }

 private:
  std::vector<RunFact> all_;
};
void add_program(const Run& run, RunFacts& rows) {
  rows.add("command", text_of(run, "command"));
  rows.add("directory", text_of(run, "directory"));
  rows.add("host", text_of(run, "host"));
  rows.add("date", date_of(run));
  rows.add("laptime_version", text_of(run, "laptime_version"));
  rows.add("exit_code", run_number(run, "exit_code"));
  rows.add("exit_signal", run_number(run, "exit_signal"));
  rows.add("duration", run.end_ns > 0 ? Cell(run.end_ns) : kUnknown, Unit::ns);
  rows.add("wall", run_number(run, "wall_ns"), Unit::ns);
  rows.add("cpu_user", run_number(run, "cpu_user_ns"), Unit::ns);
  rows.add("cpu_system", run_number(run, "cpu_system_ns"), Unit::ns);
  rows.add("max_rss", run_number(run, "max_rss_bytes"), Unit::bytes);
}

Cell count_recorded_steps(const std::vector<Step>& steps) {
  const auto with = [&](StepOps ops) {
    return std::count_if(steps.begin(), steps.end(), [&](const Step& s) { return s.ops == ops; });
  };
  if (with(StepOps::unknown) == static_cast<std::ptrdiff_t>(steps.size())) return kUnknown;
  return integer_cell(static_cast<std::uint64_t>(with(StepOps::recorded)));
}

void add_recording(const Run& run, const std::vector<Step>& steps, RunFacts& rows) {
  const std::size_t spans = run.span_count();
  rows.add("processes", integer_cell(run.processes.size()), Unit::count);
  rows.add("threads", integer_cell(count_threads(run)), Unit::count);
  rows.add("steps", integer_cell(steps.size()), Unit::count);
  rows.add("recorded_steps", count_recorded_steps(steps), Unit::count);
  rows.add("spans", integer_cell(spans), Unit::count);
  rows.add("values", integer_cell(count_values(run)), Unit::count);
  rows.add("records", sum_over_processes(run, "records"), Unit::count);
  rows.add("sealed", run.sealed ? "yes" : "no");
  rows.add("file_size", integer_cell(run.file_bytes), Unit::bytes);
  rows.add("bytes_per_span",
           run.sealed ? ratio_cell(static_cast<double>(run.file_bytes), static_cast<double>(spans))
                      : kUnknown);
}

void add_cost(const Analysis& analysis, RunFacts& rows) {
  const auto cost = find_run_cost(analysis);
  const auto add = [&](const char* key, double RunCost::* member, Unit unit) {
    rows.add(key, cost ? Cell((*cost).*member) : kUnknown, unit);
  };
  add("own_cost", &RunCost::ns, Unit::ns);
  if (const Cell setup = sum_over_processes(analysis.run(), "torch_setup_ns"); setup != kUnknown)
    rows.add("setup", setup, Unit::ns);
  add("own_cost_share", &RunCost::share, Unit::share);
  add("own_cost_low", &RunCost::low, Unit::share);
  add("own_cost_high", &RunCost::high, Unit::share);
}

}  // namespace

std::string run_directory(const Run& run) {
  const Cell folder = text_of(run, "directory");
  return folder == kUnknown ? "" : std::get<std::string>(folder);
}

Table run_table(const Analysis& analysis) {
  RunFacts facts;
  add_program(analysis.run(), facts);
  add_recording(analysis.run(), analysis.steps(), facts);
  add_cost(analysis, facts);
  return kRun.build("Run", facts.all());
}

constinit const TableDefinition kRunTable =
    define_table<kRun>("what was run, how it ended, how much was recorded and what that cost",
                       R"(
The keys are always the same:

- the program: `command`, `directory`, `host`, `date`, `laptime_version`, `exit_code`,
  `exit_signal`;
- what it used: `duration`, `wall`, `cpu_user`, `cpu_system`, `max_rss`;
- how much was recorded: `processes`, `threads`, `steps`, `recorded_steps`, `spans`, `values`,
  `records`, `sealed`, `file_size`, `bytes_per_span`;
- what recording cost: `own_cost`, `own_cost_share` and its interval `own_cost_low` to
  `own_cost_high`. With PyTorch `setup` is the time before the program started.)",
                       run_table);

}  // namespace laptime
