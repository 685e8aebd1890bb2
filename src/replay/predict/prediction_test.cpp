#include "replay/predict/prediction.h"

#include <gtest/gtest.h>

#include "replay/testing/gpu_runs.h"
#include "trace/analysis.h"

namespace laptime::replay {
namespace {

constexpr std::int64_t kUs = 1'000;

// Steps that launch one kernel within an op, then wait for it if it takes longer.
class Training : public GpuRun {
 public:
  void recorded(std::int64_t op_ns, std::int64_t kernel_ns) {
    launch(now_ + 10 * kUs, 5 * kUs, number_);
    add(0, {now_ + 5 * kUs, op_ns - 10 * kUs, "aten::op"});
    kernel(stream, now_ + 20 * kUs, kernel_ns, number_++);
    const std::int64_t done = 20 * kUs + kernel_ns;
    if (done > op_ns)
      add(0, {now_ + op_ns, done - op_ns + 1 * kUs, "cuStreamSynchronize", SpanKind::sync});
    end_step(std::max(op_ns, done + 5 * kUs), 1);
  }
  void rested(std::int64_t step_ns) { end_step(step_ns, 0); }
  PhasePrediction predict(const Changes& changes) const {
    const Analysis analysis(run);
    return Predictor(analysis).predict(changes).phases.at(0);
  }

 private:
  void end_step(std::int64_t step_ns, int ops) {
    add_step(0, now_, step_ns, ops);
    now_ += step_ns;
  }
  std::int64_t now_ = 0;
  std::uint32_t number_ = 1;
};

Changes free_launches() {
  Changes changes;
  changes.launch_free = true;
  return changes;
}

double width(const PhasePrediction& p) { return p.gain_high / p.gain_low; }

TEST(Prediction, StepsThatRestTellWhatTheHostTakesWithoutTheRecorder) {
  Training t;
  for (int i = 0; i < 10; ++i) t.recorded(1'000 * kUs, 300 * kUs);
  for (int i = 0; i < 40; ++i) t.rested(800 * kUs);
  const PhasePrediction prediction = t.predict(free_launches());
  EXPECT_NEAR(prediction.after_ns, 305e3, 12e3);  // the kernel and its latency
  EXPECT_NEAR(prediction.gain, 800.0 / 305, 0.1);
}

TEST(Prediction, OfAStepThatTheGpuBoundsRestedOnesTellNothingOfTheHost) {
  Training t;
  for (int i = 0; i < 10; ++i) t.recorded(800 * kUs, 1'000 * kUs);
  for (int i = 0; i < 40; ++i) t.rested(1'000 * kUs);
  const PhasePrediction prediction = t.predict(scaled("kernel", 0.5));
  EXPECT_NEAR(prediction.gain, 1'025.0 / 800,
              0.03);  // the host then bounds it, with its recorded time
}

TEST(Prediction, ALongStepSaysNothingOfOthers) {
  Training t;
  for (int i = 0; i < 40; ++i) t.rested(1'000 * kUs);
  // Few steps with very different times, so that the long one is no outlier.
  for (const std::int64_t us : {700, 800, 1'000, 2'800, 1'300, 1'500})
    t.recorded(us * kUs, 600 * kUs);
  EXPECT_NEAR(t.predict(free_launches()).gain, 5'300.0 / (5 * 605), 0.08);
}

TEST(Prediction, StartsDifferMoreWhereTheHostBoundsAStepBeforeOrAfter) {
  Training host, gpu;
  for (int i = 0; i < 20; ++i)
    host.recorded(1'000 * kUs, 300 * kUs), gpu.recorded(300 * kUs, 1'000 * kUs);
  const PhasePrediction gpu_then = gpu.predict(scaled("kernel", 1)),
                        host_then = host.predict(scaled("kernel", 1));
  EXPECT_NEAR(gpu_then.noise, 0.05, 0.005);
  EXPECT_NEAR(host_then.noise, 0.108, 0.005);  // of 5 and 9 %
  EXPECT_NEAR(width(gpu_then), 1, 0.001);      // nothing changes
  const PhasePrediction from_host_to_gpu = host.predict(free_launches());
  EXPECT_GT(from_host_to_gpu.gain, 3);
  EXPECT_NEAR(from_host_to_gpu.noise, 0.108, 0.005);
}

TEST(Prediction, IsTheLessSureTheMoreChanges) {
  Training t;
  for (int i = 0; i < 20; ++i) t.recorded(100 * kUs, 1'000 * kUs);
  const auto width_at = [&](double factor) {
    return width(t.predict(work_change([](std::string_view, std::string_view) { return true; },
                                       factor, factor, factor)));
  };
  EXPECT_GT(width_at(2), width_at(1));
  EXPECT_GT(width_at(4), width_at(2));
}

}  // namespace
}  // namespace laptime::replay
