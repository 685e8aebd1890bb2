// Where a training program's steps end, told from what a loop cannot do without: batches asked for,
// optimizers that step.
//
// Pure rules: events in, ended steps out. Nothing here knows torch, clocks or threads; a moment is
// a number that is passed on.
//
// * Batches and optimizer steps: a step ends where the next batch is asked for, if an optimizer
//   stepped since. So several batches for one optimizer step (accumulation) are one step, and so is
//   one batch for several optimizers.
// * Batches asked for without gradients, or from a loader that is never trained on: each is a step
//   of validation, or of inference in a program without an optimizer.
// * No batches: a step ends with the optimizer's step; of several that step in turn, with the first
//   one's.
// * No optimizer: a backward takes its place. With batches a step ends where the next one is asked
//   for; without, with the backward of one line; of several lines that take turns, with the first
//   one's.
// * A step with a backward in it is training.
// * A model that is put into eval mode and back, with no batch, backward or optimizer step between:
//   one step of validation.
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
  std::uint64_t begin = 0;   // a moment; 0: where the step before ended
  std::uint64_t moment = 0;  // when it ended; 0: now
};

// A step whose end is seen only now, and one that ends now.
struct EndedSteps {
  std::optional<EndedStep> before, now;
};

// Numbers, each once: sorted, for they mostly come rising and a program may make a loader for every
// task. Allocates only while it grows.
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

// One for each thread that trains. Loaders and optimizers are known by numbers.
class StepRules {
 public:
  // A loop that steps so often on one batch has left its loader behind (persistent workers keep an
  // iterator alive).
  static constexpr int kMostStepsABatch = 32;
  // A loop that reads so many batches with gradients and never steps has its optimizer inside a
  // compiled function.
  static constexpr int kMostBatchesAStep = 32;
  // So many backwards before an optimizer steps for the first time: the program updates its
  // parameters in another way.
  static constexpr int kMostBackwardsAStep = 64;

  void optimizer_made() { has_optimizer_ = true; }
  // There is one that was made before anything was seen, by this program or another part of it.
  void optimizer_exists() { may_have_optimizer_ = true; }
  // Twice without a step in between: the steps must be out of sight.
  void gradients_zeroed(std::int64_t optimizer);
  // The program asks for a batch. `gradients`: they are on; `evaluating`: a model was put into eval
  // mode.
  std::optional<EndedStep> ask(std::int64_t loader, bool gradients, bool evaluating);
  // It got one.
  void got(std::int64_t loader, std::uint64_t samples, bool gradients);
  // The loader is at its end: there will be no more batches.
  void closed(std::int64_t loader) { leave(loader); }
  // Nobody holds the loader's iterator any more: the loop over it was left early, or knew how many
  // batches to read.
  std::optional<EndedStep> dropped(std::int64_t loader);
  EndedSteps optimizer_stepped(std::int64_t optimizer, std::uint64_t moment);
  // One should have stepped, and did not: its gradients had overflown.
  EndedSteps optimizer_skipped(std::uint64_t moment) {
    return optimizer_stepped(backward_leads_ ? kNone : leader_, moment);
  }
  // Gradients were computed, at a line of the program's.
  EndedSteps backward_ended(std::int64_t line, std::uint64_t moment);
  // A model was put into eval mode.
  void evaluation_began(std::uint64_t moment) { evaluation_ = moment; }
  // And back.
  EndedSteps evaluation_ended();
  // A loop over batches has ended, and nothing of a step has come since.
  bool is_between() const {
    return has_left_loop_ && open_.empty() && batches_ == 0 && optimizer_steps_ == 0 &&
           backwards_ == 0;
  }
  // There will be no more events: the step that is under way, if it has updated anything.
  std::optional<EndedStep> finished();

 private:
  static constexpr std::int64_t kNone = -1;
  struct Follower {
    std::int64_t number;
    std::uint64_t moment;
  };

  EndedSteps step_without_loader(std::int64_t number, std::uint64_t moment);
  // Whether the step under way has updated parameters, as far as can be seen.
  bool has_updated() const { return optimizer_steps_ > 0 || (backwards_ > 0 && updates_by_hand()); }
  bool updates_by_hand() const { return !(has_optimizer_ || may_have_optimizer_) || out_of_sight_; }
  // What the batches so far were for, if they end a step here although no optimizer stepped.
  std::optional<StepPhase> phase_before(std::int64_t loader, bool gradients, bool evaluating);
  StepPhase idle_phase() const {
    return has_optimizer_ || has_trained_ ? StepPhase::validation : StepPhase::inference;
  }
  EndedStep end(StepPhase phase);
  void leave(std::int64_t loader) {
    open_.remove(loader);
    has_left_loop_ = true;
  }

  // Of this step.
  Numbers loaders_;
  std::uint64_t samples_ = 0;
  int batches_ = 0, optimizer_steps_ = 0, backwards_ = 0;
  bool with_gradients_ = false;

  bool has_optimizer_ = false, may_have_optimizer_ = false;
  bool has_left_loop_ = false;
  bool has_stepped_ = false;      // any optimizer
  bool has_trained_ = false;      // a step of training has ended
  bool out_of_sight_ = false;     // optimizers there are, and none is seen to step
  std::uint64_t updated_ = 0;     // the moment of the last optimizer step or backward
  std::uint64_t evaluation_ = 0;  // the moment at which a model was put into eval mode, if nothing
                                  // that makes steps came since
  std::int64_t leader_ =
      kNone;  // the optimizer, or line with a backward, that ends steps where no loader does
  bool backward_leads_ = false;
  std::vector<Follower> followers_;  // others since, each once
  std::int64_t looping_ = kNone;     // the loader whose batch ended the step before
  Numbers trained_;                  // loaders whose batches were trained on
  Numbers open_;                     // loaders with batches to come
  Numbers unseen_;  // loaders whose optimizers step out of sight, in compiled functions
  Numbers zeroed_;  // optimizers whose gradients were zeroed since one stepped
};

}  // namespace laptime::steps
