#include "analyze/breakdown.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "analyze/device_breakdown.h"
#include "analyze/host_time.h"

namespace laptime {

namespace {

using Steps = std::vector<const HostStep*>;

// The order in which a reader meets them: what a step does first, first.
constexpr HostCategory kOrder[] = {HostCategory::input,  HostCategory::rest, HostCategory::forward, HostCategory::backward, HostCategory::optimizer, HostCategory::memory,
                                   HostCategory::launch, HostCategory::copy, HostCategory::sync,    HostCategory::compile,  HostCategory::gc};

std::size_t index(HostCategory category) { return static_cast<std::size_t>(category); }

Steps select(const Steps& steps, const std::function<bool(const HostStep&)>& wanted) {
  Steps chosen;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(chosen), [&](const HostStep* s) { return wanted(*s); });
  return chosen;
}

Steps typical(const Steps& steps) {
  Steps chosen = select(steps, [](const HostStep& s) { return s.step.kind == StepKind::steady; });
  if (chosen.empty()) chosen = select(steps, [](const HostStep& s) { return is_typical(s.step.kind); });
  return chosen.empty() ? steps : chosen;
}

template <typename Get>
double mean(const Steps& steps, Get get) {
  double sum = 0;
  for (const HostStep* s : steps) sum += static_cast<double>(get(*s));
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

bool is_python(const Process& process) {
  const auto it = process.properties.lower_bound("python");
  return it != process.properties.end() && it->first.starts_with("python");
}

class PhaseBreakdown {
 public:
  PhaseBreakdown(const Run& run, const Steps& steps)
      : run_(&run), all_(typical(steps)), with_ops_(typical(select(steps, [](const HostStep& s) { return s.has_ops; }))) {
    knows_gpu_ = std::any_of(steps.begin(), steps.end(), [](const HostStep* s) { return s->has_gpu; });
    wall_ = mean(all_, [](const HostStep& s) { return s.step.wall_ns; });
    double left = wall_, detail = 0;
    for (const HostCategory category : kOrder) {
      ns_[index(category)] = mean(steps_of(category), [&](const HostStep& s) { return s.exposed[index(category)]; });
      (is_light(category) ? left : detail) += (is_light(category) ? -1 : 1) * ns_[index(category)];
    }
    // Recorded steps take a little longer: their details are brought to what is left of a mean step.
    const double scale = detail > 0 ? left / detail : 0;
    for (const HostCategory category : kOrder)
      if (!is_light(category) && category != HostCategory::rest) left -= ns_[index(category)] *= scale;
    ns_[index(HostCategory::rest)] = std::max(left, 0.0);
  }

  void add_rows(Table& table) const {
    if (knows_nothing()) return;
    for (const HostCategory category : kOrder) {
      const double ns = ns_[index(category)];
      const double overlapped = mean(steps_of(category), [&](const HostStep& s) { return s.overlapped[index(category)]; });
      if (ns == 0 && overlapped == 0) continue;
      table.rows.push_back({"host", name(category), ns, ratio_cell(ns, wall_), ns, category == HostCategory::rest ? kUnknown : Cell(overlapped),
                            std::string(run_->strings[all_.front()->step.phase]), integer_cell(steps_of(category).size())});
    }
  }
  double total() const { return wall_ * static_cast<double>(all_.size()); }

 private:
  // Known in every step; the others only in recorded ones. With a GPU these tell launches and waits in the optimizer apart.
  bool is_light(HostCategory category) const {
    return category == HostCategory::input || category == HostCategory::compile || category == HostCategory::gc || (category == HostCategory::optimizer && !knows_gpu_);
  }
  // A program that only marks its steps has nothing to divide them by.
  bool knows_nothing() const { return !is_python_program() && ns_[index(HostCategory::rest)] == wall_; }
  bool is_python_program() const { return is_python(run_->processes[run_->tracks[all_.front()->step.track].process]); }
  // Where no step has ops, what is left of all of them is one rest.
  const Steps& steps_of(HostCategory category) const { return is_light(category) || with_ops_.empty() ? all_ : with_ops_; }
  std::string name(HostCategory category) const {
    switch (category) {
      case HostCategory::input: return "input wait";
      case HostCategory::compile: return "compile";
      case HostCategory::gc: return "gc";
      case HostCategory::sync: return "sync wait";
      case HostCategory::copy: return "copy wait";
      case HostCategory::launch: return "launch";
      case HostCategory::optimizer: return "optimizer";
      case HostCategory::memory: return "memory";
      case HostCategory::backward: return "backward";
      case HostCategory::forward: return "forward ops";
      case HostCategory::rest: break;
    }
    if (!is_python_program()) return "other";
    return with_ops_.empty() ? "python and ops" : "python";
  }

  const Run* run_;
  Steps all_, with_ops_;
  bool knows_gpu_ = false;
  double wall_ = 0;
  std::array<double, kHostCategories> ns_{};
};

}  // namespace

Table breakdown_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"breakdown",
              "Where a step goes" + from_recorded_steps(analysis.steps()),
              {{"view", ColumnType::text},
               {"category", ColumnType::text},
               {"ns_per_step", ColumnType::real, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"exposed_ns", ColumnType::real, Unit::ns},
               {"overlapped_ns", ColumnType::real, Unit::ns},
               {"phase", ColumnType::text},
               {"steps", ColumnType::integer, Unit::count}},
              {}};
  const std::vector<HostStep>& steps = analysis.host_steps();
  std::map<std::uint32_t, Steps> phases;
  for (const HostStep& step : steps) phases[step.step.phase].push_back(&step);
  std::vector<PhaseBreakdown> parts;
  for (const auto& [phase, laps] : phases) parts.emplace_back(run, laps);
  std::stable_sort(parts.begin(), parts.end(), [](const PhaseBreakdown& a, const PhaseBreakdown& b) { return a.total() > b.total(); });
  for (const PhaseBreakdown& part : parts) part.add_rows(table);
  add_device_rows(analysis, table);
  return table;
}

}  // namespace laptime
