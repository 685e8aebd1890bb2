// Finds where the steps of a training program end, from what every loop does: it requests batches,
// and optimizers step.
//
// Pure rules: events in, ended steps out. Nothing here depends on torch, clocks or threads. A
// moment is a number that is passed on.
//
// * Batches and optimizer steps: a step ends at the request for the next batch, if an optimizer
//   stepped since the last one. So several batches for one optimizer step (accumulation) are one
//   step. One batch for several optimizers is one step, too.
// * A batch requested without gradients, or from a loader that is never trained on, is a step of
//   validation. In a program without an optimizer it is a step of inference.
// * No batches: a step ends with the optimizer's step. If several optimizers step in turn, the
//   first one's step ends it.
// * No optimizer: a backward replaces it. With batches a step ends at the request for the next one.
//   Without batches it ends with the backward of one line. If several lines take turns, the first
//   line's backward ends it.
// * A step with a backward in it is training.
// * A model is put into eval mode and back, with no batch, backward or optimizer step between: one
//   step of validation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace laptime::steps {

enum class StepPhase : std::uint8_t { train, validation, inference };

struct EndedStep {
  StepPhase phase;
  std::uint64_t samples;     // 0: unknown
  std::uint64_t begin = 0;   // a moment; 0: the end of the step before
  std::uint64_t moment = 0;  // when it ended; 0: now
};

// `before`: a step whose end is noticed only now. `now`: a step that ends now.
struct EndedSteps {
  std::optional<EndedStep> before, now;
};

// A sorted set of numbers. They mostly come in rising order, and a program may make a loader for
// every task. Allocates only while it grows.
class Numbers {
 public:
  bool has(std::int64_t number) const {
    return std::binary_search(numbers_.begin(), numbers_.end(), number);
  }
  bool has_any(const Numbers& others) const {
    return std::any_of(others.numbers_.begin(), others.numbers_.end(),
                       [&](std::int64_t number) { return has(number); });
  }
  bool empty() const { return numbers_.empty(); }
  void add(std::int64_t number) {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (at == numbers_.end() || *at != number) numbers_.insert(at, number);
  }
  void add(const Numbers& others) {
    for (const std::int64_t number : others.numbers_) add(number);
  }
  void remove(std::int64_t number) {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (at != numbers_.end() && *at == number) numbers_.erase(at);
  }
  void remove(const Numbers& others) {
    for (const std::int64_t number : others.numbers_) remove(number);
  }
  void clear() { numbers_.clear(); }

 private:
  std::vector<std::int64_t> numbers_;
};

// Each thread that trains has its own. Numbers identify loaders and optimizers.
class StepRules {
 public:
  // A loop that steps more often than this on one batch has left its loader. Persistent workers
  // keep its iterator alive.
  static constexpr int kMostStepsABatch = 32;
  // A loop that reads more batches than this with gradients and never steps has its optimizer
  // inside a compiled function.
  static constexpr int kMostBatchesAStep = 32;
  // After this many backwards before the first optimizer step, the program updates its parameters
  // in another way.
  static constexpr int kMostBackwardsAStep = 64;

  void optimizer_made() { has_optimizer_ = true; }
  // An optimizer was made before recording began, or by another part of the program.
  void optimizer_exists() { may_have_optimizer_ = true; }
  // Two calls without a step in between mean that the optimizer's steps cannot be seen.
  void gradients_zeroed(std::int64_t optimizer);
  // The program requests a batch. `gradients`: whether they are on. `evaluating`: whether a model
  // was put into eval mode.
  std::optional<EndedStep> request(std::int64_t loader, bool gradients, bool evaluating);
  // The program received a batch.
  void received(std::int64_t loader, std::uint64_t samples, bool gradients);
  // The loader is exhausted: no more batches follow.
  void closed(std::int64_t loader) { leave(loader); }
  // The loader's iterator was destroyed. The loop over it was left early, or it knew how many
  // batches to read.
  std::optional<EndedStep> dropped(std::int64_t loader);
  EndedSteps optimizer_stepped(std::int64_t optimizer, std::uint64_t moment);
  // A compiled function has computed gradients and updated its parameters. The program may update
  // others by hand.
  EndedSteps function_stepped(std::int64_t function, std::uint64_t moment);
  // An optimizer step was skipped because its gradients overflowed.
  EndedSteps optimizer_skipped(std::uint64_t moment) {
    return optimizer_stepped(backward_leads_ ? kNone : leader_, moment);
  }
  // Gradients were computed at a line of the program.
  EndedSteps backward_ended(std::int64_t line, std::uint64_t moment);
  // A model was put into eval mode.
  void evaluation_began(std::uint64_t moment) { evaluation_ = moment; }
  // The model was put back into training mode.
  EndedSteps evaluation_ended();
  // A loop over batches has ended, and no event of a step has come since.
  bool is_between() const {
    return has_left_loop_ && open_.empty() && batches_ == 0 && optimizer_steps_ == 0 &&
           backwards_ == 0;
  }
  // No more events follow. Returns the unfinished step if it has updated anything.
  std::optional<EndedStep> finished();

 private:
  static constexpr std::int64_t kNone = -1;
  struct Follower {
    std::int64_t number;
    std::uint64_t moment;
  };

  EndedSteps step_without_loader(std::int64_t number, std::uint64_t moment);
  // Whether the unfinished step has updated parameters, as far as can be seen.
  bool has_updated() const { return optimizer_steps_ > 0 || (backwards_ > 0 && updates_by_hand()); }
  bool updates_by_hand() const { return !(has_optimizer_ || may_have_optimizer_) || out_of_sight_; }
  // The phase of the batches so far, if they end a step here without an optimizer step.
  std::optional<StepPhase> phase_before(std::int64_t loader, bool gradients, bool evaluating);
  StepPhase idle_phase() const {
    return has_optimizer_ || has_trained_ ? StepPhase::validation : StepPhase::inference;
  }
  EndedStep end(StepPhase phase);
  void leave(std::int64_t loader) {
    open_.remove(loader);
    has_left_loop_ = true;
  }

  // The unfinished step.
  Numbers loaders_;
  std::uint64_t samples_ = 0;
  int batches_ = 0, optimizer_steps_ = 0, backwards_ = 0;
  bool with_gradients_ = false;

  bool has_optimizer_ = false, may_have_optimizer_ = false;
  bool has_left_loop_ = false;
  bool has_stepped_ = false;   // some optimizer has stepped
  bool has_trained_ = false;   // a step of training has ended
  bool out_of_sight_ = false;  // optimizers exist, and none is seen to step
  std::uint64_t updated_ = 0;  // the moment of the last optimizer step or backward
  // when a model was put into eval mode, if no event of a step came since
  std::uint64_t evaluation_ = 0;
  std::int64_t leader_ =
      kNone;  // the optimizer, or line with a backward, that ends steps without a loader
  bool backward_leads_ = false;
  std::vector<Follower> followers_;  // others that stepped since, each once
  std::int64_t looping_ = kNone;     // the loader whose batch ended the last step
  Numbers trained_;                  // loaders whose batches were trained on
  Numbers open_;                     // loaders that may return more batches
  Numbers unseen_;                   // loaders whose optimizers step inside compiled functions
  Numbers zeroed_;                   // optimizers whose gradients were zeroed since one stepped
};

}  // namespace laptime::steps
