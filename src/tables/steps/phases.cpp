#include "tables/steps/phases.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/code/line_facts.h"
#include "trace/code/line_self_times.h"
#include "trace/code/source_lines.h"
#include "trace/run/stretches.h"
#include "trace/steps/step_times.h"
#include "trace/steps/steps.h"
#include "trace/time/host_time.h"

namespace laptime {

namespace {

constexpr double kLeastRowShare = 0.01;  // of the run, for a row of its own between steps

struct PhaseTime {
  std::string name;
  std::uint64_t count = 0;  // steps, checkpoints or stretches between steps, 0 for the others
  std::int64_t ns = 0;
  std::map<CodeLine, double> lines = {};  // self times

  const std::pair<const CodeLine, double>* longest_line() const {
    const auto longest =
        std::max_element(lines.begin(), lines.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return longest == lines.end() ? nullptr : &*longest;
  }
  void add(const PhaseTime& other) {
    count += other.count;
    ns += other.ns;
    for (const auto& [line, own_ns] : other.lines) lines[line] += own_ns;
  }
};

Stretches checkpoints_of(const Run& run, const SpanColumns& spans) {
  const std::uint32_t name = run.strings.find(kCheckpointName);
  std::vector<Stretch> found;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::scope && spans.name[row] == name)
      found.push_back({spans.start[row], spans.end(row)});
  return Stretches(std::move(found));
}

enum class StepSort { counted, warmup, pause };

StepSort sort_of(const Step& step) {
  return step.counts                    ? StepSort::counted
         : step.kind == StepKind::pause ? StepSort::pause
                                        : StepSort::warmup;
}

std::string name_of(const Run& run, std::uint32_t phase, StepSort sort) {
  const std::string name(run.strings[phase]);
  return sort == StepSort::counted ? name
                                   : name + (sort == StepSort::warmup ? ", warm-up" : ", pauses");
}

// Divides the run's duration among the steps of one thread, what was cut out of them, and what lies
// around them.
class ThreadPhases {
 public:
  // `steps`: in their order.
  ThreadPhases(const Run& run, std::span<const Step> steps, const Stretches& cut_out)
      : run_(run), cut_out_(cut_out.parts()), first_(&steps.front()) {
    take(steps.front().start_ns, before_);
    for (const Step& step : steps) {
      if (step.start_ns > now_) take(step.start_ns, between_[&step]);
      PhaseTime& phase = phase_of(step);
      ++phase.count;
      take(step.start_ns + step.wall_ns, phase);
    }
    take(run.end_ns, after_);
    checkpoints_.count = cut_out_.size();
  }

  // `rows`: of this thread; `analysis_steps`: what the index refers to.
  void add_lines(const TallyColumns& rows, std::uint32_t process, const std::vector<Step>& steps,
                 const StepIndex& index, const MergedCodes& merged) {
    visit_line_self_times(
        run_, merged, rows, [&](std::uint32_t tally_step, CodeLine line, double ns) {
          if (ns <= 0) return;
          const bool is_before = (tally_step & kBeforeStep) != 0 && tally_step != kNoStep;
          const std::uint32_t place =
              index.find(process, is_before ? tally_step & ~kBeforeStep : tally_step);
          const Step* const step = place == kNoStep ? nullptr : &steps[index.step(place)];
          PhaseTime& part = step == nullptr  ? after_
                            : !is_before     ? phase_of(*step)
                            : step == first_ ? before_
                                             : between_[step];
          part.lines[line] += ns;
        });
  }

  // In the order of their time; those without any are left out.
  std::vector<PhaseTime> all() const {
    std::vector<PhaseTime> result;
    for (const auto& [key, phase] : phases_) result.push_back(phase);
    result.insert(result.end(), {checkpoints_, before_, after_});
    add_between(result);
    std::erase_if(result, [](const PhaseTime& phase) { return phase.ns == 0 && phase.count == 0; });
    std::stable_sort(result.begin(), result.end(),
                     [](const PhaseTime& a, const PhaseTime& b) { return a.ns > b.ns; });
    return result;
  }

 private:
  PhaseTime& phase_of(const Step& step) {
    const StepSort sort = sort_of(step);
    PhaseTime& phase = phases_[{step.phase, sort}];
    if (phase.name.empty()) phase.name = name_of(run_, step.phase, sort);
    return phase;
  }

  // The time from where the last one ended goes to `phase`, but for what is cut out of it.
  void take(std::int64_t until, PhaseTime& phase) {
    for (; now_ < until;) {
      while (next_ < cut_out_.size() && cut_out_[next_].end <= now_) ++next_;
      const bool inside = next_ < cut_out_.size() && cut_out_[next_].start <= now_;
      const std::int64_t change = next_ == cut_out_.size() ? until
                                  : inside                 ? cut_out_[next_].end
                                                           : cut_out_[next_].start;
      const std::int64_t to = std::min(until, change);
      (inside ? checkpoints_ : phase).ns += to - now_;
      now_ = to;
    }
  }

  void add_between(std::vector<PhaseTime>& result) const {
    constexpr std::uint32_t kNoCode = ~0u;
    std::map<std::uint32_t, PhaseTime> by_code;
    for (const auto& [step, part] : between_) {
      const auto* const longest = part.longest_line();
      PhaseTime one = part;
      one.count = part.ns > 0;
      by_code[longest ? longest->first.first : kNoCode].add(one);
    }
    PhaseTime others{"between steps"};
    for (auto& [code, part] : by_code) {
      const bool is_short =
          static_cast<double>(part.ns) < kLeastRowShare * static_cast<double>(run_.end_ns);
      part.name = others.name;
      if (is_short)
        others.add(part);
      else
        result.push_back(part);
    }
    result.push_back(others);
  }

  const Run& run_;
  const std::vector<Stretch>& cut_out_;
  const Step* const first_;
  std::size_t next_ = 0;
  std::int64_t now_ = 0;
  std::map<std::pair<std::uint32_t, StepSort>, PhaseTime> phases_;
  std::map<const Step*, PhaseTime> between_;  // by the step that follows
  PhaseTime checkpoints_{kCheckpointName}, before_{"before the first step"},
      after_{"after the last step"};
};

void add_row(const Run& run, const PhaseTime& phase, const std::string& thread,
             SourceLines& sources, Table& table) {
  Row row{phase.name,
          phase.count > 0 ? integer_cell(phase.count) : kUnknown,
          phase.ns,
          ratio_cell(static_cast<double>(phase.ns), static_cast<double>(run.end_ns)),
          ratio_cell(static_cast<double>(phase.ns), static_cast<double>(phase.count)),
          thread};
  if (const auto* const longest = phase.longest_line()) {
    const auto& [code, line] = longest->first;
    const std::string_view file = run.strings[run.codes[code].file];
    const auto source = sources.find(file, line);
    row.insert(row.end(), {std::string(file), integer_cell(line),
                           std::string(run.strings[run.codes[code].name]), longest->second,
                           source ? Cell(std::string(*source)) : kUnknown});
  }
  row.resize(table.columns.size(), kUnknown);
  table.rows.push_back(std::move(row));
}

}  // namespace

Table phases_table(const Analysis& analysis) {
  Table table{"phases",
              "Phases",
              {{"phase", ColumnType::text},
               {"count", ColumnType::integer, Unit::count},
               {"time_ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"thread", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"function", ColumnType::text},
               {"line_ns", ColumnType::real, Unit::ns},
               {"source", ColumnType::text}},
              {}};
  const Run& run = analysis.run();
  const std::vector<Step>& steps = analysis.steps();
  const StepIndex index(analysis.run(), analysis.steps());
  const MergedCodes merged(run);
  SourceLines sources(run);
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last =
        std::find_if(first, steps.end(), [&](const Step& s) { return s.track != first->track; });
    const Track& track = run.tracks[first->track];
    const Stretches checkpoints = checkpoints_of(run, track.spans);
    ThreadPhases phases(run, {first, last}, checkpoints);
    if (knows_line_self_times(run.processes[track.process]))
      phases.add_lines(track.tallies, track.process, steps, index, merged);
    for (const PhaseTime& phase : phases.all())
      add_row(run, phase, thread_label(run, track), sources, table);
    first = last;
  }
  return table;
}

}  // namespace laptime
