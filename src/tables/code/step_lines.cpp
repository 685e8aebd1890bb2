#include "tables/code/step_lines.h"

#include <algorithm>
#include <map>

#include "trace/analysis.h"
#include "trace/code/line_facts.h"
#include "trace/code/line_ids.h"
#include "trace/code/line_self_times.h"
#include "trace/code/source_lines.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/step_times.h"
#include "trace/steps/steps.h"
#include "trace/steps/steps_by_time.h"
#include "trace/time/awaited_lines.h"
#include "trace/time/device_time.h"

namespace laptime {

namespace {

constexpr double kLeastLineShare = 0.001;  // of a step

struct LineSum {
  double self_ns = 0, gpu_ns = 0;  // sums over steps
};

struct PhaseLines {
  double steps = 0, wall_ns = 0;
  double gpu_steps = 0;  // steps with GPU records
  double op_steps = 0;   // steps with recorded ops
  std::map<CodeLine, LineSum> lines;

  double step_ns() const { return wall_ns / steps; }
  double self_ns(const LineSum& line) const { return line.self_ns / steps; }
  double gpu_ns(const LineSum& line) const { return gpu_steps > 0 ? line.gpu_ns / gpu_steps : 0; }
};

using Phases = std::map<std::uint32_t, PhaseLines>;

void add_self_times(const Analysis& analysis, Phases& phases) {
  const Run& run = analysis.run();
  const std::vector<Step>& steps = analysis.steps();
  const StepIndex index(analysis.run(), analysis.steps());
  const MergedCodes merged(run);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const Track& track = run.tracks[t];
    if (!knows_line_self_times(run.processes[track.process])) continue;
    visit_line_self_times(run, merged, track.tallies,
                          [&](std::uint32_t number, CodeLine line, double ns) {
                            const std::uint32_t place = index.find(track.process, number);
                            if (place == kNoStep) return;
                            const Step& step = steps[index.step(place)];
                            if (step.counts && step.track == t)
                              phases[step.phase].lines[line].self_ns += ns;
                          });
  }
}

// While a line waits for the ops of a compiled function, the time is that of the ops' lines. It is
// known of recorded steps, and holds for all. A line gives at most its own time.
void move_awaited_times(const Analysis& analysis, Phases& phases) {
  const LineIds& ids = analysis.lines();
  const auto line_of = [&](std::uint32_t call_site) {
    const std::uint32_t id = ids[call_site];
    return CodeLine{ids.code(id), ids.line(id)};
  };
  using Moves = std::map<CodeLine, double>;  // by the ops' lines
  std::map<std::uint32_t, std::map<CodeLine, Moves>> moves;
  for (const AwaitedLine& awaited :
       find_awaited_lines(analysis.run(), analysis.steps(), analysis.ops()))
    moves[awaited.phase][line_of(awaited.caller)][line_of(awaited.call_site)] += awaited.ns;
  for (const auto& [name, callers] : moves) {
    PhaseLines& phase = phases.at(name);
    const double steps = phase.steps / phase.op_steps;
    for (const auto& [caller, lines] : callers) {
      double sum = 0;
      for (const auto& [line, ns] : lines) sum += ns * steps;
      const double known = phase.lines[caller].self_ns;
      const double part = sum > known ? known / sum : 1;
      phase.lines[caller].self_ns -= sum * part;
      for (const auto& [line, ns] : lines) phase.lines[line].self_ns += ns * steps * part;
    }
  }
}

// Work belongs to the step in which it begins.
void add_gpu_times(const Analysis& analysis, Phases& phases) {
  const Run& run = analysis.run();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Step>
      recorded;  // by track and number: once, for any number of devices
  for (const DeviceStep& s : analysis.device_steps().all)
    if (s.step.counts) recorded.emplace(std::pair{s.step.track, s.step.number}, s.step);
  if (recorded.empty()) return;
  std::vector<std::vector<Step>> by_process(run.processes.size());
  for (const auto& [key, step] : recorded) {
    by_process[run.tracks[step.track].process].push_back(step);
    ++phases[step.phase].gpu_steps;
  }
  const std::vector<StepsByTime> steps(by_process.begin(), by_process.end());
  const LineIds& ids = analysis.lines();
  for (const GpuWork& work : analysis.gpu().all()) {
    const std::uint32_t id = ids[work.call_site];
    const Track& track = run.tracks[work.track];
    const Step* const step =
        id == 0 ? nullptr : steps[track.process].find(track.spans.start[work.row]);
    if (step)
      phases[step->phase].lines[{ids.code(id), ids.line(id)}].gpu_ns +=
          static_cast<double>(track.spans.duration[work.row]);
  }
}

Phases phases_of(const Analysis& analysis) {
  Phases phases;
  for (const Step& step : analysis.steps()) {
    if (!step.counts) continue;
    ++phases[step.phase].steps;
    if (step.ops != StepOps::rested) ++phases[step.phase].op_steps;
    phases[step.phase].wall_ns += static_cast<double>(step.wall_ns);
  }
  return phases;
}

// A comprehension is a function of its own on the same line. To a reader it is that line of the
// outer function.
std::map<CodeLine, LineSum> merge_same_lines(const Run& run,
                                             const std::map<CodeLine, LineSum>& lines) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CodeLine> outermost;  // by file and line
  const auto name_size = [&](std::uint32_t code) {
    return run.strings[run.codes[code].name].size();
  };
  for (const auto& [line, sum] : lines) {
    CodeLine& outer =
        outermost.try_emplace({run.codes[line.first].file, line.second}, line).first->second;
    if (name_size(line.first) < name_size(outer.first)) outer = line;
  }
  std::map<CodeLine, LineSum> merged;
  for (const auto& [line, sum] : lines) {
    LineSum& whole = merged[outermost.at({run.codes[line.first].file, line.second})];
    whole.self_ns += sum.self_ns;
    whole.gpu_ns += sum.gpu_ns;
  }
  return merged;
}

struct StepLineRow {
  const Run& run;
  std::uint32_t name;  // the phase's
  const PhaseLines& phase;
  CodeLine line;
  LineSum sum;
  std::optional<std::string_view> source;

  const Code& code() const { return run.codes[line.first]; }
};

constexpr ColumnOf<StepLineRow> kStepLineColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.run.strings[r.name]; }},
    {"file", "The line's file.", [](auto& r) { return r.run.strings[r.code().file]; }},
    {"line", "The line.", [](auto& r) { return r.line.second; }},
    {"function", "Its function.", [](auto& r) { return r.run.strings[r.code().name]; }},
    {"self_ns", Unit::ns,
     "Its own time in a step, without the timed functions that it called. The time of ops that a "
     "call of a compiled function waits for is that of the ops' lines.",
     [](auto& r) { return r.phase.self_ns(r.sum); }},
    {"share", Unit::share, "The same, of the step.",
     [](auto& r) { return ratio(r.phase.self_ns(r.sum), r.phase.step_ns()); }},
    {"gpu_ns", Unit::ns, "What GPUs did for it in a recorded step, forward and backward.",
     [](auto& r) { return known_if(r.phase.gpu_steps > 0, r.phase.gpu_ns(r.sum)); }},
    {"source", "Its text.", [](auto& r) { return r.source; }}};
constexpr TableOf<StepLineRow> kStepLines{"step_lines", kStepLineColumns};

void add_rows(const Run& run, std::uint32_t name, const PhaseLines& phase, SourceLines& sources,
              Table& table) {
  std::multimap<double, std::pair<CodeLine, LineSum>, std::greater<>> order;
  for (const auto& line : merge_same_lines(run, phase.lines))
    if (const double most = std::max(phase.self_ns(line.second), phase.gpu_ns(line.second));
        most >= kLeastLineShare * phase.step_ns())
      order.emplace(most, line);
  for (const auto& [most, line] : order) {
    const std::string_view file = run.strings[run.codes[line.first.first].file];
    kStepLines.add(
        table, {run, name, phase, line.first, line.second, sources.find(file, line.first.second)});
  }
}

}  // namespace

Table step_lines_table(const Analysis& analysis) {
  Table table = kStepLines.empty("Lines of a step" + source_note(analysis.run()));
  const Run& run = analysis.run();
  Phases phases = phases_of(analysis);
  if (phases.empty()) return table;
  add_self_times(analysis, phases);
  move_awaited_times(analysis, phases);
  add_gpu_times(analysis, phases);
  std::multimap<double, std::uint32_t, std::greater<>> order;
  for (const auto& [name, phase] : phases) order.emplace(phase.wall_ns, name);
  SourceLines sources(run);
  for (const auto& [wall_ns, name] : order) add_rows(run, name, phases.at(name), sources, table);
  return table;
}

constinit const TableDefinition kStepLinesTable =
    define_table<kStepLines>("which lines a step consists of",
                             R"(
The lines of your code that a mean step of each phase consists of, over all steps that count.
The lines of a phase sum to at most a step. Lines that only run outside of steps are left out.)",
                             step_lines_table);

}  // namespace laptime
