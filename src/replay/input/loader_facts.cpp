#include "replay/input/loader_facts.h"

#include <fmt/format.h>
#include <algorithm>
#include <climits>
#include <optional>

#include "format/names.h"
#include "trace/input/worker_processes.h"
#include "trace/time/input_waits.h"

namespace laptime::replay {

namespace {

constexpr std::int64_t kHandOver =
    600'000;  // a batch from another process, where none was seen: 200 µs to 1.2 ms

struct Fetch {
  std::int64_t start, end;
};
struct Worker {
  std::uint32_t track, pid;
  std::vector<Fetch> fetches;  // in their order
};

std::int64_t end_of(const Step& step) { return step.start_ns + step.wall_ns; }

// The step in which the moment lies; their number: none.
std::size_t step_at(std::span<const HostStep> steps, std::int64_t time) {
  const auto it =
      std::upper_bound(steps.begin(), steps.end(), time,
                       [](std::int64_t t, const HostStep& s) { return t < end_of(s.step); });
  return it != steps.end() && it->step.start_ns <= time
             ? static_cast<std::size_t>(it - steps.begin())
             : steps.size();
}

// Of each worker that fetched mostly while one of the steps ran.
std::vector<Worker> find_workers(const Run& run, std::span<const HostStep> steps) {
  std::vector<Worker> workers;
  const std::uint32_t name = run.strings.find(span_name::kFetch);
  if (name == StringTable::kNoString) return workers;
  const std::uint32_t process = run.tracks[steps.front().step.track].process;
  const std::vector<bool> may_work = may_work_for(run, process);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    if (run.tracks[t].process == process || !may_work[run.tracks[t].process]) continue;
    const SpanColumns& spans = run.tracks[t].spans;
    Worker worker{t, run.processes[run.tracks[t].process].pid, {}};
    std::size_t inside = 0;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      if (spans.name[row] != name) continue;
      worker.fetches.push_back({spans.start[row], spans.end(row)});
      inside += step_at(steps, spans.end(row)) < steps.size();
    }
    if (2 * inside > worker.fetches.size()) workers.push_back(std::move(worker));
  }
  return workers;
}

// How many of the workers lived at a time, at most.
unsigned most_at_once(const std::vector<Worker>& workers) {
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const Worker& worker : workers) {
    edges.push_back({worker.fetches.front().start, 1});
    edges.push_back({worker.fetches.back().end, -1});
  }
  std::sort(edges.begin(), edges.end());
  int now = 0, most = 0;
  for (const auto& [time, change] : edges) most = std::max(most, now += change);
  return static_cast<unsigned>(most);
}

// The intervals of the stepping thread in which it waited for a batch.
struct Take {
  std::size_t step;
  std::int64_t start, end;
};

class Takes {
 public:
  Takes(const Run& run, std::span<const HostStep> steps) : steps_(steps), restarts_(steps.size()) {
    const std::uint32_t starting = run.strings.find(span_name::kStartLoader);
    for (const InputWait& wait : find_input_waits(run, steps.front().step.track)) {
      const std::size_t step = step_at(steps, wait.start);
      if (step == steps.size()) continue;
      if (wait.name == starting)
        restart(step);
      else
        takes_.push_back({step, wait.start, wait.end});
    }
    if (!restarts_known_) restart_after_gaps();
    restarts_.front() = true;
    // Starting the loader is waited for, too.
    std::size_t last = steps.size();
    for (Take& take : takes_) {
      if (restarts_[take.step] && take.step != last) take.start = steps[take.step].step.start_ns;
      last = take.step;
    }
  }

  const std::vector<Take>& all() const { return takes_; }
  const std::vector<bool>& restarts() const { return restarts_; }

 private:
  // What was asked for right before, in the same step, was the end of the loop before it.
  void restart(std::size_t step) {
    restarts_[step] = restarts_known_ = true;
    if (!takes_.empty() && takes_.back().step == step) takes_.pop_back();
  }
  void restart_after_gaps() {
    for (std::size_t k = 1; k < steps_.size(); ++k)
      restarts_[k] = steps_[k].step.start_ns != end_of(steps_[k - 1].step);
  }

  std::span<const HostStep> steps_;
  std::vector<Take> takes_;
  std::vector<bool> restarts_;
  bool restarts_known_ = false;
};

// What workers made for one loop over the loader.
class Round {
 public:
  // `began`: the loop's first step. Fetches belong to it that start between `from` and `to`.
  Round(const std::vector<Worker>& workers, std::int64_t began, std::int64_t from, std::int64_t to)
      : began_(began) {
    const auto by_start = [](const Fetch& fetch, std::int64_t time) { return fetch.start < time; };
    std::vector<std::pair<std::uint32_t, std::span<const Fetch>>> by_pid;
    for (const Worker& worker : workers) {
      const std::vector<Fetch>& own = worker.fetches;
      const auto first = std::lower_bound(own.begin(), own.end(), from, by_start),
                 last = std::lower_bound(first, own.end(), to, by_start);
      if (first != last) by_pid.push_back({worker.pid, {first, last}});
    }
    std::stable_sort(by_pid.begin(), by_pid.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.front().start) <
             std::pair(b.first, b.second.front().start);
    });
    for (const auto& worker : by_pid) workers_.push_back(worker.second);
  }

  // `number`: of the loop's takes.
  void describe(std::span<const Take> takes, std::size_t number, unsigned prefetch,
                Batch& batch) const {
    const Take& take = takes[number];
    const std::size_t count = std::max<std::size_t>(1, workers_.size()), ahead = count * prefetch,
                      at = number / count;
    const std::span<const Fetch> own =
        workers_.empty() ? std::span<const Fetch>() : workers_[number % count];
    batch.hand_over_ns = take.end - take.start;
    batch.worker = static_cast<std::uint32_t>(number % count);
    if (at >= own.size())
      return;  // its fetch is in no record: all of the wait is taken for the hand-over
    const std::int64_t asked = number < ahead ? began_ : takes[number - ahead].end;
    const std::int64_t could_begin = at == 0 ? asked : std::max(asked, own[at - 1].end);
    batch.fetch_ns = own[at].end - own[at].start;
    batch.between_ns = std::max<std::int64_t>(0, own[at].start - could_begin);
    batch.hand_over_ns = std::max<std::int64_t>(0, take.end - std::max(take.start, own[at].end));
    batch.blocked_ns = std::max<std::int64_t>(
        0, own[at].end - std::max(take.start, first_made_after(number, ahead)));
  }

 private:
  // When the first of the batches behind it was made of which some may have been asked for;
  // INT64_MAX: none is known.
  std::int64_t first_made_after(std::size_t number, std::size_t ahead) const {
    std::int64_t first = INT64_MAX;
    for (std::size_t later = number + 1; later < number + ahead; ++later) {
      const std::span<const Fetch> own = workers_[later % workers_.size()];
      if (const std::size_t at = later / workers_.size(); at < own.size())
        first = std::min(first, own[at].end);
    }
    return first;
  }

  std::int64_t began_;
  std::vector<std::span<const Fetch>> workers_;
};

// Where in their steps they were asked for, each with what the program waited.
std::vector<Batch> place_batches(std::span<const HostStep> steps, const std::vector<Take>& takes) {
  std::vector<Batch> batches;
  std::int64_t waited = 0;
  for (std::size_t i = 0; i < takes.size(); ++i) {
    const HostStep& step = steps[takes[i].step];
    const std::int64_t compute =
        step.step.wall_ns - step.exposed[static_cast<std::size_t>(HostCategory::input)];
    if (i > 0 && takes[i - 1].step != takes[i].step) waited = 0;
    Batch batch{static_cast<std::uint32_t>(takes[i].step),
                0,
                takes[i].end - takes[i].start,
                0,
                kHandOver,
                0,
                0};
    if (compute > 0)
      batch.after = std::clamp(static_cast<double>(takes[i].start - step.step.start_ns - waited) /
                                   static_cast<double>(compute),
                               0.0, 1.0);
    waited += batch.fetch_ns;
    batches.push_back(batch);
  }
  return batches;
}

void describe_rounds(std::span<const HostStep> steps, const Takes& takes,
                     const std::vector<Worker>& workers, LoaderFacts& facts) {
  const std::span<const Take> all = takes.all();
  for (std::size_t begin = 0, take = 0; begin < steps.size();) {
    std::size_t end = begin + 1, last = take;
    while (end < steps.size() && !takes.restarts()[end]) ++end;
    while (last < all.size() && all[last].step < end) ++last;
    const std::int64_t began = steps[begin].step.start_ns;
    // The first loop may have been begun before the first step.
    const Round round(workers, began, begin == 0 ? INT64_MIN : began,
                      end == steps.size() ? INT64_MAX : steps[end].step.start_ns);
    for (std::size_t i = take; i < last; ++i) {
      facts.batches[i].fetch_ns = 0;
      round.describe(all.subspan(take, last - take), i - take, facts.prefetch, facts.batches[i]);
    }
    begin = end, take = last;
  }
}

std::optional<unsigned> setting(const Properties& properties, std::size_t loader, const char* key) {
  const auto value =
      property_number(properties, fmt::format("{}{} {}", property::kLoader, loader, key));
  return value && *value >= 0 && *value <= UINT_MAX ? std::optional(static_cast<unsigned>(*value))
                                                    : std::nullopt;
}

// That of the first loader with so many workers, as the program set it (docs/records.md).
std::optional<unsigned> find_prefetch(const Properties& properties, unsigned workers) {
  for (std::size_t loader = 1; setting(properties, loader, "workers"); ++loader)
    if (setting(properties, loader, "workers") == workers)
      return setting(properties, loader, "prefetch");
  return std::nullopt;
}

}  // namespace

LoaderFacts find_loader(const Run& run, std::span<const HostStep> steps) {
  LoaderFacts facts;
  const Takes takes(run, steps);
  const std::vector<Worker> workers = find_workers(run, steps);
  facts.restarts = takes.restarts();
  for (std::size_t k = 0; k < steps.size(); ++k)
    facts.apart_ns.push_back(k == 0 ? 0 : steps[k].step.start_ns - end_of(steps[k - 1].step));
  facts.batches = place_batches(steps, takes.all());
  if (workers.empty()) return facts;
  facts.workers = most_at_once(workers);
  facts.prefetch = std::max(
      1u, find_prefetch(run.processes[run.tracks[steps.front().step.track].process].properties,
                        facts.workers)
              .value_or(facts.prefetch));
  describe_rounds(steps, takes, workers, facts);
  for (const Worker& worker : workers) {
    facts.worker_tracks.push_back(worker.track);
    for (const Fetch& fetch : worker.fetches) facts.fetches_ns += fetch.end - fetch.start;
  }
  return facts;
}

}  // namespace laptime::replay
