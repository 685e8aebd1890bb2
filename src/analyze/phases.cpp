#include "analyze/phases.h"

#include <algorithm>
#include <map>
#include <span>

#include "analyze/host_time.h"
#include "analyze/steps.h"
#include "analyze/stretches.h"
#include "analyze/thread_label.h"

namespace laptime {

namespace {

struct PhaseTime {
  std::string name;
  std::uint64_t count = 0;  // steps or checkpoints, 0 for the others
  std::int64_t ns = 0;
};

Stretches checkpoints_of(const Run& run, const SpanColumns& spans) {
  const std::uint32_t name = run.strings.find(kCheckpointName);
  std::vector<Stretch> found;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::scope && spans.name[row] == name) found.push_back({spans.start[row], spans.end(row)});
  return Stretches(std::move(found));
}

// Divides the run's duration among the steps of one thread, what was cut out of them, and what lies around them.
class ThreadPhases {
 public:
  // `steps`: in their order.
  ThreadPhases(const Run& run, std::span<const Step> steps, const Stretches& cut_out) : run_(run), cut_out_(cut_out.parts()) {
    take(steps.front().start_ns, before_);
    for (const Step& step : steps) {
      take(step.start_ns, between_);
      PhaseTime& phase = phases_[step.phase];
      ++phase.count;
      take(step.start_ns + step.wall_ns, phase);
    }
    take(run.end_ns, after_);
    checkpoints_.count = cut_out_.size();
  }

  // In the order of their time; those without any are left out.
  std::vector<PhaseTime> all() const {
    std::vector<PhaseTime> result;
    for (const auto& [id, phase] : phases_) result.push_back({std::string(run_.strings[id]), phase.count, phase.ns});
    result.insert(result.end(), {checkpoints_, before_, between_, after_});
    std::erase_if(result, [](const PhaseTime& phase) { return phase.ns == 0 && phase.count == 0; });
    std::stable_sort(result.begin(), result.end(), [](const PhaseTime& a, const PhaseTime& b) { return a.ns > b.ns; });
    return result;
  }

 private:
  // The time from where the last one ended goes to `phase`, but for what is cut out of it.
  void take(std::int64_t until, PhaseTime& phase) {
    for (; now_ < until;) {
      while (next_ < cut_out_.size() && cut_out_[next_].end <= now_) ++next_;
      const bool inside = next_ < cut_out_.size() && cut_out_[next_].start <= now_;
      const std::int64_t change = next_ == cut_out_.size() ? until : inside ? cut_out_[next_].end : cut_out_[next_].start;
      const std::int64_t to = std::min(until, change);
      (inside ? checkpoints_ : phase).ns += to - now_;
      now_ = to;
    }
  }

  const Run& run_;
  const std::vector<Stretch>& cut_out_;
  std::size_t next_ = 0;
  std::int64_t now_ = 0;
  std::map<std::uint32_t, PhaseTime> phases_;
  PhaseTime checkpoints_{kCheckpointName}, before_{"before the first step"}, between_{"between steps"}, after_{"after the last step"};
};

}  // namespace

Table phases_table(const Analysis& analysis) {
  Table table{"phases",
              "Phases",
              {{"phase", ColumnType::text},
               {"count", ColumnType::integer, Unit::count},
               {"time_ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"thread", ColumnType::text}},
              {}};
  const Run& run = analysis.run();
  const std::vector<Step>& steps = analysis.steps();
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(first, steps.end(), [&](const Step& s) { return s.track != first->track; });
    const Track& track = run.tracks[first->track];
    const Stretches checkpoints = checkpoints_of(run, track.spans);
    for (const PhaseTime& phase : ThreadPhases(run, {first, last}, checkpoints).all())
      table.rows.push_back({phase.name, phase.count > 0 ? integer_cell(phase.count) : kUnknown, phase.ns,
                            ratio_cell(static_cast<double>(phase.ns), static_cast<double>(run.end_ns)),
                            ratio_cell(static_cast<double>(phase.ns), static_cast<double>(phase.count)), thread_label(run, track)});
    first = last;
  }
  return table;
}

}  // namespace laptime
