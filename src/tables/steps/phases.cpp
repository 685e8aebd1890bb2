#include "tables/steps/phases.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "format/names.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/code/line_facts.h"
#include "trace/code/line_self_times.h"
#include "trace/code/source_lines.h"
#include "trace/run/intervals.h"
#include "trace/steps/step_times.h"
#include "trace/steps/steps.h"
#include "trace/time/host_time.h"

namespace laptime {

namespace {

constexpr double kLeastRowShare = 0.01;  // of the run: the least for a row between steps

struct PhaseTime {
  std::string name;
  std::uint64_t count = 0;  // steps, checkpoints or intervals between steps; 0 for other rows
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

Intervals checkpoints_of(const Run& run, const SpanColumns& spans) {
  const std::uint32_t name = run.strings.find(span_name::kCheckpoint);
  std::vector<Interval> found;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::scope && spans.name[row] == name)
      found.push_back({spans.start[row], spans.end(row)});
  return Intervals(std::move(found));
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

// Divides the run's duration on one thread: its steps, what was cut out of them, and the time
// around them.
class ThreadPhases {
 public:
  // `steps`: in order.
  ThreadPhases(const Run& run, std::span<const Step> steps, const Intervals& cut_out)
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

  // `rows`: of this thread. `analysis_steps`: the steps that the index refers to.
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

  // In order of time. Phases without time are left out.
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

  // Adds the time since the last end to `phase`, without what is cut out of it.
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
  const std::vector<Interval>& cut_out_;
  const Step* const first_;
  std::size_t next_ = 0;
  std::int64_t now_ = 0;
  std::map<std::pair<std::uint32_t, StepSort>, PhaseTime> phases_;
  std::map<const Step*, PhaseTime> between_;  // by the step that follows
  PhaseTime checkpoints_{std::string(span_name::kCheckpoint)}, before_{"before the first step"},
      after_{"after the last step"};
};

struct PhaseRow {
  const Run& run;
  const PhaseTime& phase;
  std::string_view thread;
  const std::pair<const CodeLine, double>* longest;  // line; null: none was timed
  std::optional<std::string_view> source;

  const Code& code() const { return run.codes[longest->first.first]; }
};

constexpr ColumnOf<PhaseRow> kPhaseColumns[] = {
    {"phase", "What the time went to.", [](auto& r) { return std::string_view(r.phase.name); }},
    {"count", Unit::count, "How many steps, checkpoints or intervals between steps.",
     [](auto& r) { return known_if(r.phase.count > 0, r.phase.count); }},
    {"time_ns", Unit::ns, "How long all of it took.", [](auto& r) { return r.phase.ns; }},
    {"share", Unit::share, "The same, of the run's duration.",
     [](auto& r) { return ratio(r.phase.ns, r.run.end_ns); }},
    {"mean_ns", Unit::ns, "How long one step, checkpoint or interval takes.",
     [](auto& r) { return ratio(r.phase.ns, r.phase.count); }},
    {"thread", "The thread that steps.", [](auto& r) { return r.thread; }},
    {"file", "The file of the line with the most time of its own there.",
     [](auto& r) {
       return r.longest ? std::optional(r.run.strings[r.code().file]) : std::nullopt;
     }},
    {"line", "That line.",
     [](auto& r) { return r.longest ? std::optional(r.longest->first.second) : std::nullopt; }},
    {"function", "Its function.",
     [](auto& r) {
       return r.longest ? std::optional(r.run.strings[r.code().name]) : std::nullopt;
     }},
    {"line_ns", Unit::ns, "The line's own time.",
     [](auto& r) { return r.longest ? std::optional(r.longest->second) : std::nullopt; }},
    {"source", "Its text.", [](auto& r) { return r.source; }}};
constexpr TableOf<PhaseRow> kPhases{"phases", kPhaseColumns};

PhaseRow phase_row(const Run& run, const PhaseTime& phase, std::string_view thread,
                   SourceLines& sources) {
  PhaseRow row{run, phase, thread, phase.longest_line(), std::nullopt};
  if (row.longest)
    row.source = sources.find(run.strings[row.code().file], row.longest->first.second);
  return row;
}

}  // namespace

Table phases_table(const Analysis& analysis) {
  Table table = kPhases.empty("Phases");
  const Run& run = analysis.run();
  const std::vector<Step>& steps = analysis.steps();
  const StepIndex index(analysis.run(), analysis.steps());
  const MergedCodes merged(run);
  SourceLines sources(run);
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last =
        std::find_if(first, steps.end(), [&](const Step& s) { return s.track != first->track; });
    const Track& track = run.tracks[first->track];
    const Intervals checkpoints = checkpoints_of(run, track.spans);
    ThreadPhases phases(run, {first, last}, checkpoints);
    if (knows_line_self_times(run.processes[track.process]))
      phases.add_lines(track.tallies, track.process, steps, index, merged);
    const std::string thread = thread_label(run, track);
    for (const PhaseTime& phase : phases.all())
      kPhases.add(table, phase_row(run, phase, thread, sources));
    first = last;
  }
  return table;
}

constinit const TableDefinition kPhasesTable = define_table<kPhases>(
    "what the whole run's time went to: steps of each phase, checkpoints, what lies between",
    R"(
The rows of a thread that steps sum to the run's duration. They are:

- the steps of each phase that count, and the others: `train, warm-up`, `train, pauses`;
- checkpoints, which are taken off the steps in which they were made;
- what lies before, between and after the steps. What lies between them is a row for each
  function that takes most of such an interval, if the row is at least 1 % of the run.)",
    phases_table);

}  // namespace laptime
