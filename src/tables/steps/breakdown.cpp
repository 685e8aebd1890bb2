#include "tables/steps/breakdown.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/steps/device_breakdown.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/device_time.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

class PhaseBreakdown {
 public:
  // Contract: `steps` are those of a phase that count, and not empty.
  PhaseBreakdown(const Run& run, HostSteps steps)
      : run_(&run),
        all_(std::move(steps)),
        with_ops_(steps_with_ops(all_)),
        mean_(mean_step(all_)) {}

  void add_rows(std::vector<BreakdownRow>& rows) const {
    const HostKnowledge known{is_python_step(*run_, all_.front()->step), mean_.divided(),
                              mean_.sources};
    // A program that only marks its steps gives nothing to divide them by.
    if (!known.python && mean_.exposed[index(HostCategory::rest)] == mean_.wall_ns) return;
    for (const HostCategory category : kHostOrder) {
      const double ns = mean_.exposed[index(category)],
                   overlapped = mean_.overlapped[index(category)];
      if (ns == 0 && overlapped == 0) continue;
      BreakdownRow row{"host",
                       host_category_name(category, known),
                       ns,
                       mean_.wall_ns,
                       known_if(category != HostCategory::rest, overlapped),
                       phase_name(),
                       mean_.steps_of(category)};
      add_spread(row, category);
      rows.push_back(std::move(row));
    }
    if (mean_.undivided_ns > 0)
      rows.push_back(
          {"host", kUndivided, mean_.undivided_ns, mean_.wall_ns, std::nullopt, phase_name()});
  }
  double total() const { return mean_.wall_ns * static_cast<double>(mean_.steps); }

 private:
  std::string_view phase_name() const { return run_->strings[all_.front()->step.phase]; }
  static std::size_t index(HostCategory category) { return static_cast<std::size_t>(category); }
  void add_spread(BreakdownRow& row, HostCategory category) const {
    std::vector<std::int64_t> times;
    for (const HostStep* step : mean_.is_light(category) || with_ops_.empty() ? all_ : with_ops_)
      times.push_back(step->exposed[index(category)]);
    for (std::size_t i = 0; i < row.spread.size(); ++i)
      row.spread[i] = take_percentile(times, kSpread[i]);
  }
  const Run* run_;
  HostSteps all_, with_ops_;
  MeanStep mean_;
};

// ", from 5 of 20 steps". If the GPU has fewer steps, "; on the GPU from 3 of 20 steps" follows.
std::string from_steps(const Analysis& analysis) {
  const std::string host = from_recorded_steps(analysis.steps()),
                    device = from_recorded_steps(analysis.steps(),
                                                 analysis.device_steps().left_out.size());
  return host == device ? host : host + "; on the GPU" + device.substr(1);
}

constexpr ColumnOf<BreakdownRow> kBreakdownColumns[] = {
    {"view", "`host`, or `device` for a GPU (`device 0` … if there are several).",
     [](auto& r) { return std::string_view(r.view); }},
    {"category", "What the time went to.", [](auto& r) { return std::string_view(r.category); }},
    {"ns_per_step", Unit::ns, "The category's part of a mean step.", [](auto& r) { return r.ns; }},
    {"share", Unit::share, "The same, of the mean step.",
     [](auto& r) { return ratio(r.ns, r.wall_ns); }},
    {"exposed_ns", Unit::ns, "The same as `ns_per_step`: its part of the wall time.",
     [](auto& r) { return r.ns; }},
    {"overlapped_ns", Unit::ns,
     "What other threads did of it meanwhile; on a GPU what was done beside compute.",
     [](auto& r) { return r.overlapped_ns; }},
    {"phase", "The phase.", [](auto& r) { return r.phase; }},
    {"steps", Unit::count, "How many steps the row is from.", [](auto& r) { return r.steps; }},
    {"p5_ns", Unit::ns, "The 5th percentile over these steps, each as it was measured.",
     [](auto& r) { return r.spread[0]; }},
    {"p50_ns", Unit::ns, "Their median.", [](auto& r) { return r.spread[1]; }},
    {"p95_ns", Unit::ns, "Their 95th percentile.", [](auto& r) { return r.spread[2]; }}};
constexpr TableOf<BreakdownRow> kBreakdown{"breakdown", kBreakdownColumns};

}  // namespace

Table breakdown_table(const Analysis& analysis) {
  const std::vector<HostStep>& steps = analysis.host_steps();
  std::map<std::uint32_t, HostSteps> phases;
  for (const HostStep& step : steps)
    if (step.step.counts) phases[step.step.phase].push_back(&step);
  std::vector<PhaseBreakdown> parts;
  for (auto& [phase, of_phase] : phases) parts.emplace_back(analysis.run(), std::move(of_phase));
  std::stable_sort(
      parts.begin(), parts.end(),
      [](const PhaseBreakdown& a, const PhaseBreakdown& b) { return a.total() > b.total(); });
  std::vector<BreakdownRow> rows;
  for (const PhaseBreakdown& part : parts) part.add_rows(rows);
  for (BreakdownRow& row : device_rows(analysis)) rows.push_back(std::move(row));
  return kBreakdown.build("Where a step goes" + from_steps(analysis), rows);
}

constinit const TableDefinition kBreakdownTable = define_table<kBreakdown>("where a mean step goes",
                                                                           R"(
View `host` is the thread that steps. The categories of a phase sum to the mean of all steps
that count. Every moment belongs to the first of these that holds:

1. `input wait`: the program waits for a batch.
2. `compile`: something is compiled, or a function is traced.
3. `gc`: Python collects garbage.
4. `sync wait`: a driver's call waits for a GPU.
5. `copy wait`: a copy returns only when it is done, or uses pageable memory.
6. `launch`: any other call gives work to a GPU.
7. `optimizer`: an optimizer's step or `zero_grad`, or an op of an optimizer.
8. `checkpoint`: `torch.save`, or a scope of that name.
9. `communication`: the thread calls a collective.
10. `memory`: an op allocates, copies or fills.
11. `backward`.
12. `forward ops`: any other op.
13. `dispatch`: the thread calls a compiled function (`tf.function`, `jax.jit`).
14. `device wait`: the thread waits for a result (`block_until_ready`, `float`, `numpy`).
15. `backward`: the thread waits for another one that is in backward. If that one launches or
    waits, the moment is `launch`, `sync wait` or `copy wait`.
16. `communication`: the thread waits for a collective on another thread.
17. `python`: the program's own code, and all that it calls that is no op.

A compiled function runs its ops on any thread. So in `dispatch` and `device wait` the
categories of all threads count, except `gc` and `checkpoint`. A batch that another thread
makes at any other moment is overlapped input.

Without op records `communication` to `python` are one row: `python and ops`. `dispatch` and
`device wait` then are rows with their ops. In a program that is not Python the first row is
`other`. A phase of which nothing else is known has no rows.

Details of recorded steps are scaled to the mean step; usual and slow steps are scaled apart. If
no slow step has op records, the time that slow steps take longer is the row `not recorded`.

View `device` exists for each GPU: `compute`, `communication`, `copies`, and idle time by its
reason. It sums to the mean step, too. Steps in which the GPU did nothing are included. The
device's work is as it was recorded, and idle time is scaled. The idle reason is whatever held
when the GPU became idle, in this step or an earlier one:

1. `idle: input`: the program waits for a batch.
2. `idle: other`: the next work had been launched already. It waited for another stream, another
   device or the hardware.
3. `idle: sync`: the host was waiting for the GPU (table `syncs`).
4. `idle: launches`: none of these.

When recording begins again, the GPU may still be busy with work that is not recorded. Recorded
steps that begin before that work is done are left out of this view. The title says so: "from 5
of 20 steps; on the GPU from 3 of 20 steps".)",
                                                                           breakdown_table);

}  // namespace laptime
