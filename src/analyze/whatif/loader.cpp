#include "analyze/whatif/loader.h"

#include <algorithm>

#include "analyze/percentile.h"

namespace laptime::whatif {

namespace {

constexpr unsigned kPrefetch = 2;                     // torch's default: batches asked for ahead, by worker
constexpr std::int64_t kHandOver = 300'000;           // a batch from another process, where none was seen
constexpr double kReadyShare = 0.05;                  // of the waits: those for a batch that was ready

struct Fetch {
  std::int64_t start, end;
};
struct Worker {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
};

// How many of the workers lived at a time, at most. Contract: there is one.
unsigned most_at_once(const std::vector<Worker>& workers) {
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const Worker& worker : workers) {
    edges.push_back({worker.first, 1});
    edges.push_back({worker.last, -1});
  }
  std::sort(edges.begin(), edges.end());
  int now = 0, most = 0;
  for (const auto& [time, change] : edges) most = std::max(most, now += change);
  return static_cast<unsigned>(std::max(most, 1));
}

// What a worker does between two batches when it is never out of work: it sends one off and takes the next.
std::int64_t time_between(const std::vector<Fetch>& own) {
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < own.size(); ++i) gaps.push_back(std::max<std::int64_t>(0, own[i].start - own[i - 1].end));
  return gaps.empty() ? 0 : take_percentile(gaps, kReadyShare);
}

// Fetches that ended while one of the steps ran; a worker belongs where most of its fetches do.
std::vector<Fetch> fetches_of(const Run& run, std::span<const HostStep> steps, std::vector<Worker>& workers) {
  std::vector<Fetch> all;
  const std::uint32_t name = run.strings.find("fetch");
  if (name == StringTable::kNoString) return all;
  const auto in_steps = [&](std::int64_t time) {
    const auto it = std::upper_bound(steps.begin(), steps.end(), time, [](std::int64_t t, const HostStep& s) { return t < s.step.start_ns + s.step.wall_ns; });
    return it != steps.end() && it->step.start_ns <= time;
  };
  for (const Track& track : run.tracks) {
    if (track.process == run.tracks[steps.front().step.track].process) continue;
    std::vector<Fetch> own;
    Worker worker;
    std::size_t inside = 0;
    for (std::size_t row = 0; row < track.spans.size(); ++row) {
      if (track.spans.name[row] != name) continue;
      own.push_back({track.spans.start[row], track.spans.end(row)});
      worker.first = std::min(worker.first, own.back().start);
      worker.last = std::max(worker.last, own.back().end);
      inside += in_steps(own.back().end);
    }
    if (own.empty() || 2 * inside <= own.size()) continue;
    workers.push_back(worker);
    const std::int64_t between = time_between(own);
    for (Fetch& fetch : own) fetch.end += between;
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end(), [](const Fetch& a, const Fetch& b) { return a.start < b.start; });
  return all;
}

std::vector<bool> find_restarts(const Run& run, std::span<const HostStep> steps) {
  std::vector<bool> restarts(steps.size());
  const auto end = [](const Step& step) { return step.start_ns + step.wall_ns; };
  for (std::size_t i = 0; i < steps.size(); ++i) restarts[i] = i == 0 || steps[i].step.start_ns != end(steps[i - 1].step);
  const std::uint32_t name = run.strings.find("start loader");
  const SpanColumns& spans = run.tracks[steps.front().step.track].spans;
  for (std::size_t row = 0; name != StringTable::kNoString && row < spans.size(); ++row) {
    if (spans.name[row] != name) continue;
    const auto it = std::upper_bound(steps.begin(), steps.end(), spans.start[row], [&](std::int64_t t, const HostStep& s) { return t < end(s.step); });
    if (it != steps.end() && it->step.start_ns <= spans.start[row]) restarts[static_cast<std::size_t>(it - steps.begin())] = true;
  }
  return restarts;
}

// Batches handed to workers in turn, taken in their order.
class LoaderQueue {
 public:
  LoaderQueue(std::span<const std::int64_t> fetch_ns, unsigned workers, std::size_t batches) : fetch_ns_(fetch_ns), free_at_(workers), taken_(batches) {}

  void restart(std::size_t batch, std::int64_t now) {
    first_ = batch;
    began_ = now;
    std::fill(free_at_.begin(), free_at_.end(), now);
  }
  // Contract: asked once for each batch, in their order, before it is taken.
  std::int64_t ready_at(std::size_t batch) {
    const std::size_t ahead = free_at_.size() * kPrefetch;
    const std::int64_t asked = batch - first_ < ahead ? began_ : taken_[batch - ahead];
    std::int64_t& worker = free_at_[(batch - first_) % free_at_.size()];
    return worker = std::max(worker, asked) + fetch_ns_[batch % fetch_ns_.size()];
  }
  void take(std::size_t batch, std::int64_t time) { taken_[batch] = time; }

 private:
  std::span<const std::int64_t> fetch_ns_;
  std::vector<std::int64_t> free_at_, taken_;  // by worker, by batch
  std::size_t first_ = 0;
  std::int64_t began_ = 0;
};

std::vector<std::int64_t> hand_overs(std::span<const HostStep> steps, const LoaderFacts& facts) {
  std::vector<std::int64_t> result;
  LoaderQueue queue(facts.fetch_ns, facts.workers, steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::int64_t now = steps[k].step.start_ns, wait = steps[k].exposed[static_cast<std::size_t>(HostCategory::input)];
    if (facts.restarts[k]) queue.restart(k, now);
    result.push_back(std::max<std::int64_t>(0, wait - std::max<std::int64_t>(0, queue.ready_at(k) - now)));
    queue.take(k, now + wait);
  }
  return result;
}

}  // namespace

LoaderFacts find_loader(const Run& run, std::span<const HostStep> steps) {
  LoaderFacts facts;
  facts.restarts = find_restarts(run, steps);
  std::vector<Worker> workers;
  const std::vector<Fetch> fetches = fetches_of(run, steps, workers);
  std::vector<std::int64_t> waits;
  for (const HostStep& step : steps)
    if (is_typical(step.step.kind)) waits.push_back(step.exposed[static_cast<std::size_t>(HostCategory::input)]);
  if (fetches.empty()) {
    facts.hand_over_ns = {kHandOver};
    facts.fetch_ns = std::move(waits);
    return facts;
  }
  facts.workers = most_at_once(workers);
  // Several batches a step (accumulation) count as one that takes as long as all of them.
  const std::size_t group = std::max<std::size_t>(1, (fetches.size() + steps.size() / 2) / steps.size());
  for (std::size_t i = 0; i < fetches.size(); i += group) {
    std::int64_t sum = 0;
    for (std::size_t k = i; k < std::min(i + group, fetches.size()); ++k) sum += fetches[k].end - fetches[k].start;
    facts.fetch_ns.push_back(sum);
    facts.fetches_ns += sum;
  }
  facts.hand_over_ns = hand_overs(steps, facts);
  return facts;
}

std::vector<std::int64_t> simulate_waits(std::span<const std::int64_t> compute_ns, const std::vector<bool>& restarts, std::span<const std::int64_t> fetch_ns,
                                         unsigned workers, std::span<const std::int64_t> hand_over_ns) {
  std::vector<std::int64_t> waits(compute_ns.size());
  if (fetch_ns.empty()) return waits;
  if (workers == 0) {
    for (std::size_t k = 0; k < waits.size(); ++k) waits[k] = fetch_ns[k % fetch_ns.size()];
    return waits;
  }
  LoaderQueue queue(fetch_ns, workers, compute_ns.size());
  std::int64_t now = 0;
  for (std::size_t k = 0; k < waits.size(); ++k) {
    if (restarts[k]) queue.restart(k, now);
    waits[k] = std::max<std::int64_t>(0, queue.ready_at(k) - now) + (hand_over_ns.empty() ? 0 : hand_over_ns[k % hand_over_ns.size()]);
    queue.take(k, now + waits[k]);
    now += waits[k] + compute_ns[k];
  }
  return waits;
}

}  // namespace laptime::whatif
