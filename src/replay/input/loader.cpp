#include "replay/input/loader.h"

#include <algorithm>
#include <cmath>

namespace laptime::replay {

namespace {

struct Delivery {
  std::size_t batch;
  std::int64_t ready_at;
};

// Batches are assigned to workers in turn, and taken in order.
class LoaderQueue {
 public:
  LoaderQueue(const LoaderFacts& facts, unsigned workers)
      : batches_(facts.batches),
        ahead_(std::size_t{workers} * facts.prefetch),
        free_at_(workers),
        taken_(facts.batches.size()) {}

  // The loop's batches begin with `first` and end before `last`.
  void restart(std::size_t first, std::size_t, std::int64_t now) {
    first_ = first;
    began_ = now;
    std::fill(free_at_.begin(), free_at_.end(), now);
  }
  // Contract: called once for each batch in order, before it is taken.
  Delivery next(std::size_t batch) {
    const std::int64_t requested = batch - first_ < ahead_ ? began_ : taken_[batch - ahead_];
    std::int64_t& worker = free_at_[(batch - first_) % free_at_.size()];
    return {batch, worker = std::max(worker, requested) + batches_[batch].between_ns +
                            batches_[batch].fetch_ns};
  }
  void take(std::size_t batch, std::int64_t time) { taken_[batch] = time; }

 private:
  std::span<const Batch> batches_;
  std::size_t ahead_;
  std::vector<std::int64_t> free_at_, taken_;  // by worker, by batch
  std::size_t first_ = 0;
  std::int64_t began_ = 0;
};

// Batches are taken as soon as they are made. Each worker has at most `prefetch` requested batches.
class UnorderedQueue {
 public:
  UnorderedQueue(const LoaderFacts& facts, unsigned workers)
      : batches_(facts.batches),
        prefetch_(facts.prefetch),
        free_at_(workers),
        requested_(workers) {}

  void restart(std::size_t first, std::size_t last, std::int64_t now) {
    next_ = first, last_ = last, turn_ = 0;
    made_.clear();
    std::fill(free_at_.begin(), free_at_.end(), now);
    std::fill(requested_.begin(), requested_.end(), 0u);
    for (std::size_t i = 0; i < prefetch_ * free_at_.size(); ++i) request(now);
  }
  Delivery next(std::size_t) const {
    const Made& first = *earliest();
    return {first.batch, first.ready_at};
  }
  void take(std::size_t, std::int64_t time) {
    const auto taken = earliest();
    --requested_[taken->worker];
    made_.erase(taken);
    request(time);
  }

 private:
  struct Made {
    std::size_t batch, worker;
    std::int64_t ready_at;
  };

  std::vector<Made>::const_iterator earliest() const {
    return std::min_element(made_.begin(), made_.end(),
                            [](const Made& a, const Made& b) { return a.ready_at < b.ready_at; });
  }
  void request(std::int64_t now) {
    if (next_ == last_) return;
    while (requested_[turn_] >= prefetch_) turn_ = (turn_ + 1) % requested_.size();
    const Batch& batch = batches_[next_];
    free_at_[turn_] = std::max(free_at_[turn_], now) + batch.between_ns + batch.fetch_ns;
    made_.push_back({next_++, turn_, free_at_[turn_]});
    ++requested_[turn_];
    turn_ = (turn_ + 1) % requested_.size();
  }

  std::span<const Batch> batches_;
  unsigned prefetch_;
  std::vector<std::int64_t> free_at_;  // by worker
  std::vector<unsigned> requested_;
  std::vector<Made> made_;  // or being made
  std::size_t next_ = 0, last_ = 0, turn_ = 0;
};

// The first batch of a loop that begins after step `step`.
std::size_t end_of_loop(const LoaderFacts& facts, std::size_t step, std::size_t batch) {
  std::size_t end = step + 1;
  while (end < facts.restarts.size() && !facts.restarts[end]) ++end;
  while (batch < facts.batches.size() && facts.batches[batch].step < end) ++batch;
  return batch;
}

template <typename Queue>
std::vector<std::int64_t> waits_with(Queue queue, const LoaderFacts& facts,
                                     std::span<const std::int64_t> compute_ns) {
  std::vector<std::int64_t> waits(compute_ns.size());
  std::int64_t now = 0;
  for (std::size_t k = 0, b = 0; k < waits.size(); ++k) {
    now += facts.apart_ns[k];
    if (facts.restarts[k]) queue.restart(b, end_of_loop(facts, k, b), now);
    for (; b < facts.batches.size() && facts.batches[b].step == k; ++b) {
      const Delivery delivery = queue.next(b);
      const std::int64_t begin =
          now + std::llround(facts.batches[b].after * static_cast<double>(compute_ns[k])) +
          waits[k];
      const std::int64_t wait = std::max<std::int64_t>(0, delivery.ready_at - begin) +
                                facts.batches[delivery.batch].hand_over_ns;
      queue.take(b, begin + wait);
      waits[k] += wait;
    }
    now += compute_ns[k] + waits[k];
  }
  return waits;
}

std::vector<std::int64_t> waits_without_workers(const LoaderFacts& facts, std::size_t steps) {
  std::vector<std::int64_t> waits(steps);
  for (const Batch& batch : facts.batches) waits[batch.step] += batch.fetch_ns;
  return waits;
}

}  // namespace

std::vector<std::int64_t> simulate_waits(const LoaderFacts& facts,
                                         std::span<const std::int64_t> compute_ns, unsigned workers,
                                         BatchOrder order) {
  if (workers == 0) return waits_without_workers(facts, compute_ns.size());
  if (order == BatchOrder::any)
    return waits_with(UnorderedQueue(facts, workers), facts, compute_ns);
  return waits_with(LoaderQueue(facts, workers), facts, compute_ns);
}

}  // namespace laptime::replay
