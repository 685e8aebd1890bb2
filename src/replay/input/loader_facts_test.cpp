#include "replay/input/loader_facts.h"

#include <gtest/gtest.h>
#include <random>

#include "trace/analysis.h"
#include "trace/testing/op_runs.h"

namespace laptime::replay {
namespace {

constexpr std::int64_t kCompute = 1'000, kHandOver = 30, kBetween = 20;

// A program and its workers, played out: every batch takes what `fetch` says by its number in all.
class LoaderRun : public OpRun {
 public:
  LoaderRun(unsigned workers, unsigned prefetch) : prefetch_(prefetch) {
    run.processes[0].properties["loader 1 workers"] = workers;
    run.processes[0].properties["loader 1 prefetch"] = prefetch;
    for (unsigned w = 0; w < workers; ++w) {
      run.processes.emplace_back();
      workers_.push_back(add_thread(static_cast<std::uint32_t>(run.processes.size() - 1)));
    }
  }

  template <typename Fetch>
  void epoch(std::size_t steps, Fetch fetch) {
    add(0, {now_, 5, "start loader", SpanKind::loader});
    std::vector<std::int64_t> free_at(workers_.size(), now_), taken;
    const std::int64_t began = now_;
    for (std::size_t i = 0; i < steps; ++i) {
      const std::int64_t start = i == 0 ? step_begin_ : now_, asks = i == 0 ? now_ + 5 : now_;
      const std::size_t ahead = workers_.size() * prefetch_, worker = i % workers_.size();
      const std::int64_t asked = i < ahead ? began : taken[i - ahead];
      const std::int64_t begins = std::max(free_at[worker], asked) + kBetween,
                         takes = fetch(batches_++);
      add(workers_[worker], {begins, takes, "fetch", SpanKind::scope});
      free_at[worker] = begins + takes;
      const std::int64_t got = std::max(asks, begins + takes) + kHandOver;
      add(0, {asks, got - asks, "input", SpanKind::loader});
      taken.push_back(got);
      now_ = got + kCompute;
      add_step(0, start, now_ - start);
    }
    step_begin_ = now_;
    add(0, {now_, 10, "input", SpanKind::loader});  // there is none any more
    now_ += 10;
  }

 private:
  unsigned prefetch_;
  std::vector<std::uint32_t> workers_;
  std::int64_t now_ = 0, step_begin_ = 0;
  std::size_t batches_ = 0;
};

std::vector<std::int64_t> computes(const std::vector<HostStep>& steps) {
  std::vector<std::int64_t> result;
  for (const HostStep& step : steps)
    result.push_back(step.step.wall_ns -
                     step.exposed[static_cast<std::size_t>(HostCategory::input)]);
  return result;
}
std::vector<std::int64_t> recorded_waits(const std::vector<HostStep>& steps) {
  std::vector<std::int64_t> result;
  for (const HostStep& step : steps)
    result.push_back(step.exposed[static_cast<std::size_t>(HostCategory::input)]);
  return result;
}

TEST(LoaderFacts, OfWorkersThatSetThePace) {
  LoaderRun t(1, 2);
  t.epoch(50, [](std::size_t) { return 3'000; });
  const std::vector<HostStep> steps = Analysis(t.run).host_steps();
  const LoaderFacts facts = find_loader(t.run, steps);
  EXPECT_EQ(facts.workers, 1u);
  ASSERT_EQ(facts.batches.size(), 50u);
  EXPECT_EQ(facts.batches[20].fetch_ns, 3'000);
  EXPECT_EQ(facts.batches[20].between_ns, kBetween);
  EXPECT_EQ(facts.batches[20].hand_over_ns, kHandOver);  // not the wait, however long
  EXPECT_EQ(simulate_waits(facts, computes(steps), 1)[40], recorded_waits(steps)[40]);
  // A batch every 1,510: more than the step itself takes.
  const auto with_two = simulate_waits(facts, computes(steps), 2);
  EXPECT_EQ(with_two[40] + with_two[41] + 2 * kCompute, 3'000 + kBetween);
}

TEST(LoaderFacts, ReplayedAsTheyWereWaitsAreWhatTheyWere) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    for (const unsigned prefetch : {1u, 2u, 5u}) {
      LoaderRun t(workers, prefetch);
      std::mt19937 random(workers * 10 + prefetch);
      std::uniform_int_distribution<std::int64_t> time(100, 2'000 * workers);
      for (int epoch = 0; epoch < 3; ++epoch)
        t.epoch(40, [&](std::size_t) { return time(random); });
      const Analysis analysis(t.run);
      const LoaderFacts facts = find_loader(t.run, analysis.host_steps());
      EXPECT_EQ(facts.workers, workers);
      EXPECT_EQ(facts.prefetch, prefetch);
      ASSERT_EQ(facts.batches.size(), 120u);
      EXPECT_TRUE(facts.restarts[40]);
      EXPECT_EQ(simulate_waits(facts, computes(analysis.host_steps()), workers),
                recorded_waits(analysis.host_steps()))
          << workers << " workers, prefetch " << prefetch;
    }
  }
}

TEST(LoaderFacts, WithoutWorkersABatchTakesWhatIsWaitedForIt) {
  OpRun t;
  for (int i = 0; i < 5; ++i) {
    t.add(0, {100 * i, 40, "input", SpanKind::loader});
    t.add_step(0, 100 * i, 100);
  }
  const Analysis analysis(t.run);
  const LoaderFacts facts = find_loader(t.run, analysis.host_steps());
  EXPECT_EQ(facts.workers, 0u);
  EXPECT_EQ(simulate_waits(facts, computes(analysis.host_steps()), 0),
            (std::vector<std::int64_t>{40, 40, 40, 40, 40}));
}

TEST(LoaderFacts, ABatchIsBlockedWhileALaterOneIsMade) {
  LoaderRun t(2, 2);
  t.epoch(40, [](std::size_t i) { return i % 2 == 0 ? 100 : 3'000; });
  const Analysis analysis(t.run);
  const LoaderFacts facts = find_loader(t.run, analysis.host_steps());
  ASSERT_EQ(facts.workers, 2u);
  for (std::size_t i = 10; i < 38; ++i) {
    EXPECT_EQ(facts.batches[i].worker, i % 2);
    if (i % 2 == 0) {
      EXPECT_EQ(facts.batches[i].blocked_ns, 0) << i;
    } else {
      EXPECT_EQ(facts.batches[i].blocked_ns, 3'000 + kBetween - 2 * kCompute - 2 * kHandOver) << i;
    }
  }
}

TEST(LoaderFacts, WorkersComeInTheOrderOfTheirPids) {
  LoaderRun t(2, 2);
  t.epoch(20, [](std::size_t i) { return i % 2 == 0 ? 100 : 300; });
  t.run.processes[1].pid = 12,
  t.run.processes[2].pid = 11;  // the one that began first was started last
  const Analysis analysis(t.run);
  const LoaderFacts facts = find_loader(t.run, analysis.host_steps());
  EXPECT_EQ(facts.batches[4].fetch_ns, 300);
  EXPECT_EQ(facts.batches[5].fetch_ns, 100);
}

TEST(LoaderFacts, WorkersOfAnotherRankAreNone) {
  LoaderRun t(2, 2);
  t.epoch(20, [](std::size_t) { return 100; });
  t.run.processes[0].pid = 10;
  t.run.processes.push_back({});
  t.run.processes.back().pid = 20;
  t.add_step(t.add_thread(static_cast<std::uint32_t>(t.run.processes.size() - 1)), 0, 100);
  t.run.processes.push_back({});
  t.run.processes.back().pid = 21;
  t.run.processes.back().parent_pid = 20;
  t.add(t.add_thread(static_cast<std::uint32_t>(t.run.processes.size() - 1)),
        {500, 100, "fetch", SpanKind::scope});
  const Analysis analysis(t.run);
  std::vector<HostStep> steps = analysis.host_steps();
  std::erase_if(steps, [](const HostStep& s) { return s.step.track != 0; });
  EXPECT_EQ(find_loader(t.run, steps).worker_tracks.size(), 2u);
}

}  // namespace
}  // namespace laptime::replay
