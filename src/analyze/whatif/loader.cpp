#include "analyze/whatif/loader.h"

#include <algorithm>
#include <cmath>

namespace laptime::whatif {

namespace {

// Batches handed to workers in turn, taken in their order.
class LoaderQueue {
 public:
  LoaderQueue(const LoaderFacts& facts, unsigned workers) : batches_(facts.batches), ahead_(std::size_t{workers} * facts.prefetch), free_at_(workers), taken_(facts.batches.size()) {}

  void restart(std::size_t batch, std::int64_t now) {
    first_ = batch;
    began_ = now;
    std::fill(free_at_.begin(), free_at_.end(), now);
  }
  // Contract: asked once for each batch, in their order, before it is taken.
  std::int64_t ready_at(std::size_t batch) {
    const std::int64_t asked = batch - first_ < ahead_ ? began_ : taken_[batch - ahead_];
    std::int64_t& worker = free_at_[(batch - first_) % free_at_.size()];
    return worker = std::max(worker, asked) + batches_[batch].between_ns + batches_[batch].fetch_ns;
  }
  void take(std::size_t batch, std::int64_t time) { taken_[batch] = time; }

 private:
  std::span<const Batch> batches_;
  std::size_t ahead_;
  std::vector<std::int64_t> free_at_, taken_;  // by worker, by batch
  std::size_t first_ = 0;
  std::int64_t began_ = 0;
};

std::vector<std::int64_t> waits_without_workers(const LoaderFacts& facts, std::size_t steps) {
  std::vector<std::int64_t> waits(steps);
  for (const Batch& batch : facts.batches) waits[batch.step] += batch.fetch_ns;
  return waits;
}

}  // namespace

std::vector<std::int64_t> simulate_waits(const LoaderFacts& facts, std::span<const std::int64_t> compute_ns, unsigned workers) {
  if (workers == 0) return waits_without_workers(facts, compute_ns.size());
  std::vector<std::int64_t> waits(compute_ns.size());
  LoaderQueue queue(facts, workers);
  std::int64_t now = 0;
  for (std::size_t k = 0, b = 0; k < waits.size(); ++k) {
    now += facts.apart_ns[k];
    if (facts.restarts[k]) queue.restart(b, now);
    for (; b < facts.batches.size() && facts.batches[b].step == k; ++b) {
      const Batch& batch = facts.batches[b];
      const std::int64_t asks = now + std::llround(batch.after * static_cast<double>(compute_ns[k])) + waits[k];
      const std::int64_t wait = std::max<std::int64_t>(0, queue.ready_at(b) - asks) + batch.hand_over_ns;
      queue.take(b, asks + wait);
      waits[k] += wait;
    }
    now += compute_ns[k] + waits[k];
  }
  return waits;
}

}  // namespace laptime::whatif
