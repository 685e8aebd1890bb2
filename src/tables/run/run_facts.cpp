#include "tables/run/run_facts.h"

#include <fmt/chrono.h>
#include <algorithm>
#include <ctime>

#include "format/names.h"
#include "trace/analysis.h"
#include "trace/run/properties.h"
#include "trace/run_cost.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// What the run says as a whole, else its first process.
Cell text_of(const Run& run, std::string_view key) {
  const auto text_in = [&](const Properties& properties) -> std::optional<Cell> {
    const auto it = properties.find(key);
    if (it == properties.end()) return std::nullopt;
    const auto* const text = std::get_if<std::string>(&it->second);
    return text ? Cell(*text) : kUnknown;
  };
  if (const auto text = text_in(run.properties)) return *text;
  return run.processes.empty() ? kUnknown
                               : text_in(run.processes.front().properties).value_or(kUnknown);
}

Cell run_number(const Run& run, std::string_view key) {
  const auto number = property_number(run.properties, key);
  return number ? Cell(*number) : kUnknown;
}

// `number_of`: of a process's properties, if they have it.
template <typename NumberOf>
Cell sum_over_processes(const Run& run, NumberOf number_of) {
  std::optional<std::int64_t> sum;
  for (const Process& process : run.processes)
    if (const std::optional<std::int64_t> number = number_of(process.properties))
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
  rows.add("command", text_of(run, property::kCommand));
  rows.add("directory", text_of(run, property::kDirectory));
  rows.add("host", text_of(run, property::kHost));
  rows.add("date", date_of(run));
  rows.add("laptime_version", text_of(run, property::kLaptimeVersion));
  rows.add("exit_code", run_number(run, property::kExitCode));
  rows.add("exit_signal", run_number(run, property::kExitSignal));
  rows.add("duration", run.end_ns > 0 ? Cell(run.end_ns) : kUnknown, Unit::ns);
  rows.add("wall", run_number(run, property::kWallNs), Unit::ns);
  rows.add("cpu_user", run_number(run, property::kCpuUserNs), Unit::ns);
  rows.add("cpu_system", run_number(run, property::kCpuSystemNs), Unit::ns);
  rows.add("max_rss", run_number(run, property::kMaxRssBytes), Unit::bytes);
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
  const Cell records = sum_over_processes(run, [](const Properties& properties) {
    return property_number(properties, property::kRecords);
  });
  rows.add("records", records, Unit::count);
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
  const Cell setup = sum_over_processes(analysis.run(), [](const Properties& properties) {
    return framework_cost(properties, property::kSetupNs);
  });
  if (setup != kUnknown) rows.add("setup", setup, Unit::ns);
  add("own_cost_share", &RunCost::share, Unit::share);
  add("own_cost_low", &RunCost::low, Unit::share);
  add("own_cost_high", &RunCost::high, Unit::share);
}

}  // namespace

std::string run_directory(const Run& run) {
  const Cell folder = text_of(run, property::kDirectory);
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
  `own_cost_high`. `setup` is how long laptime set itself up for frameworks.)",
                       run_table);

}  // namespace laptime
