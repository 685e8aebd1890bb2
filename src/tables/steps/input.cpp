#include "tables/steps/input.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "format/names.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"
#include "trace/time/input_waits.h"

namespace laptime {

namespace {

struct Waits {
  const Track* track = nullptr;
  std::uint64_t batches = 0;
  std::int64_t step_ns = 0;
  std::vector<std::int64_t> wait_ns;  // one for each step
};

struct InputRow {
  const Run& run;
  std::string_view what;
  std::optional<std::string_view> phase;
  const Track& track;
  std::uint64_t batches;
  std::size_t times;
  double total_ns, whole_ns;
  std::optional<std::int64_t> p50_ns{}, p95_ns{};
};

constexpr ColumnOf<InputRow> kInputColumns[] = {
    {"what", "`wait`: a thread waits for batches. `fetch`: a loader worker makes them.",
     [](auto& r) { return r.what; }},
    {"phase", "The phase of the waits.", [](auto& r) { return r.phase; }},
    {"thread", "The thread that waits, or the worker.",
     [](auto& r) { return thread_label(r.run, r.track); }},
    {"batches", Unit::count, "How many batches.", [](auto& r) { return r.batches; }},
    {"mean_ns", Unit::ns, "The mean wait of a step, or the mean time to make a batch.",
     [](auto& r) { return ratio(r.total_ns, r.times); }},
    {"p50_ns", Unit::ns, "Its median.", [](auto& r) { return r.p50_ns; }},
    {"p95_ns", Unit::ns, "Its 95th percentile.", [](auto& r) { return r.p95_ns; }},
    {"share", Unit::share,
     "Of waits: their part of the steps. Of a worker: how much of its time it works.",
     [](auto& r) { return ratio(r.total_ns, r.whole_ns); }},
    {"total_ns", Unit::ns, "The sum.",
     [](auto& r) { return static_cast<std::int64_t>(r.total_ns); }}};
constexpr TableOf<InputRow> kInput{"input", kInputColumns};

InputRow input_row(const Run& run, std::string_view what, std::optional<std::string_view> phase,
                   const Track& track, std::uint64_t batches, std::vector<std::int64_t> times,
                   double whole_ns) {
  double total = 0;
  for (const std::int64_t ns : times) total += static_cast<double>(ns);
  InputRow row{run, what, phase, track, batches, times.size(), total, whole_ns};
  if (times.empty()) return row;
  row.p50_ns = take_percentile(times, 0.50);
  row.p95_ns = take_percentile(times, 0.95);
  return row;
}
// The waits of one track's steps, in order. A wait that crosses a step's end counts in both, each
// with its part.
class StepWaits {
 public:
  StepWaits(std::span<const Step> steps)
      : steps_(steps), waited_(steps.size()), batches_(steps.size()) {}

  // `brought`: the wait ended with a batch.
  void add(std::int64_t start, std::int64_t end, bool brought) {
    const auto it =
        std::upper_bound(steps_.begin(), steps_.end(), start,
                         [](std::int64_t t, const Step& s) { return t < s.start_ns + s.wall_ns; });
    bool counted = !brought;
    for (auto s = static_cast<std::size_t>(it - steps_.begin());
         s < steps_.size() && steps_[s].start_ns < end; ++s) {
      waited_[s] +=
          std::max<std::int64_t>(0, std::min(end, steps_[s].start_ns + steps_[s].wall_ns) -
                                        std::max(start, steps_[s].start_ns));
      if (!std::exchange(counted, true)) ++batches_[s];
    }
  }
  void sum(const Track& track, std::map<std::uint32_t, Waits>& phases) const {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      Waits& waits = phases[steps_[s].phase];
      waits.track = &track;
      waits.batches += batches_[s];
      if (!steps_[s].counts) continue;
      waits.wait_ns.push_back(waited_[s]);
      waits.step_ns += steps_[s].wall_ns;
    }
  }

 private:
  std::span<const Step> steps_;
  std::vector<std::int64_t> waited_;
  std::vector<std::uint64_t> batches_;
};

// Waits of a loader without a batch: for its workers to start, and for the end of the data.
class EmptyWaits {
 public:
  explicit EmptyWaits(const StringTable& strings)
      : start_(strings.find(span_name::kStartLoader)), end_(strings.find(span_name::kInputEnd)) {}
  bool has(std::uint32_t name) const { return name == start_ || name == end_; }

 private:
  std::uint32_t start_, end_;
};

void add_waits(const Run& run, const std::vector<Step>& steps, Table& table) {
  const EmptyWaits empty(run.strings);
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last =
        std::find_if(first, steps.end(), [&](const Step& s) { return s.track != first->track; });
    const Track& track = run.tracks[first->track];
    const std::vector<InputWait> all = find_input_waits(run, first->track);
    StepWaits of_steps({first, last});
    first = last;
    if (all.empty()) continue;
    for (const InputWait& wait : all) of_steps.add(wait.start, wait.end, !empty.has(wait.name));
    std::map<std::uint32_t, Waits> phases;
    of_steps.sum(track, phases);
    for (auto& [phase, waits] : phases)
      kInput.add(table, input_row(run, "wait", run.strings[phase], *waits.track, waits.batches,
                                  std::move(waits.wait_ns), static_cast<double>(waits.step_ns)));
  }
}

void add_fetches(const Run& run, Table& table) {
  const std::uint32_t fetch = run.strings.find(span_name::kFetch);
  if (fetch == StringTable::kNoString) return;
  for (const Track& track : run.tracks) {
    std::vector<std::int64_t> times;
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (std::size_t row = 0; row < track.spans.size(); ++row) {
      if (track.spans.name[row] != fetch) continue;
      times.push_back(track.spans.duration[row]);
      first = std::min(first, track.spans.start[row]);
      last = std::max(last, track.spans.end(row));
    }
    const std::size_t batches = times.size();
    if (batches > 0)
      kInput.add(table, input_row(run, span_name::kFetch, std::nullopt, track, batches,
                                  std::move(times), static_cast<double>(last - first)));
  }
}

}  // namespace

Table input_table(const Analysis& analysis) {
  Table table = kInput.empty("Input");
  add_waits(analysis.run(), analysis.steps(), table);
  add_fetches(analysis.run(), table);
  return table;
}

constinit const TableDefinition kInputTable =
    define_table<kInput>("waits for batches, and the workers that make them",
                         R"(
A compiled function of TensorFlow pulls its batch on any thread. That is a wait while the stepping
thread is in the call; batches that are made ahead are not. Waits are over all steps except the
warm-up and those that compile. A worker's share near 1 means that more workers would help.)",
                         input_table);

}  // namespace laptime
