#include "collect/torch/step_rules.h"

namespace laptime::torch {

void StepRules::gradients_zeroed(std::int64_t optimizer) {
  has_optimizer_ = true;
  if (zeroed_.has(optimizer)) unseen_.add(loaders_);
  zeroed_.add(optimizer);
}

std::optional<EndedStep> StepRules::ask(std::int64_t loader, bool gradients, bool evaluating) {
  open_.add(loader);
  if (batches_ == 0) return std::nullopt;
  const std::optional<StepPhase> phase = optimizer_steps_ > 0 ? StepPhase::train : phase_before(loader, gradients, evaluating);
  if (!phase) return std::nullopt;
  looping_ = loader;
  return end(*phase);
}

void StepRules::got(std::int64_t loader, std::uint64_t samples, bool gradients) {
  loaders_.add(loader);
  ++batches_;
  samples_ += samples;
  with_gradients_ |= gradients;
}

std::optional<EndedStep> StepRules::dropped(std::int64_t loader) {
  std::optional<EndedStep> ended;
  if (open_.has(loader) && loaders_.has(loader)) {
    if (optimizer_steps_ > 0)
      ended = end(StepPhase::train);
    else if (looping_ == loader && !with_gradients_)
      ended = end(idle_phase());
  }
  open_.remove(loader);
  return ended;
}

std::optional<EndedStep> StepRules::optimizer_stepped(std::int64_t optimizer) {
  has_optimizer_ = true;
  unseen_.clear();
  zeroed_.clear();
  if (open_.has_any(loaders_)) {
    if (++optimizer_steps_ < kMostStepsABatch) return std::nullopt;
    open_.remove(loaders_);
  }
  return step_without_loader(optimizer);
}

std::optional<EndedStep> StepRules::step_without_loader(std::int64_t optimizer) {
  if (optimizer != leader_ && leader_ != kNone && optimizer != follower_) {
    follower_ = optimizer;
    return std::nullopt;
  }
  leader_ = optimizer;
  follower_ = kNone;
  if (!trained_.has_any(loaders_)) samples_ = 0;  // read long before, all at once
  return end(StepPhase::train);
}

std::optional<StepPhase> StepRules::phase_before(std::int64_t loader, bool gradients, bool evaluating) {
  if (!with_gradients_) return gradients || loaders_.has(loader) ? std::optional(idle_phase()) : std::nullopt;
  const bool was_training = trained_.has_any(loaders_);
  if (!gradients) return was_training ? std::optional(StepPhase::train) : std::nullopt;  // batches of an accumulation that is left unfinished
  if (unseen_.has(loader)) return StepPhase::train;
  if (was_training || !loaders_.has(loader)) return std::nullopt;
  if (!trained_.empty() || evaluating || !has_optimizer_) return idle_phase();
  if (batches_ < kMostBatchesAStep) return std::nullopt;
  unseen_.add(loader);
  return StepPhase::train;
}

EndedStep StepRules::end(StepPhase phase) {
  const EndedStep ended{phase, samples_};
  if (phase == StepPhase::train && optimizer_steps_ > 0) trained_.add(loaders_);
  loaders_.clear();
  with_gradients_ = false;
  optimizer_steps_ = batches_ = 0;
  samples_ = 0;
  return ended;
}

}  // namespace laptime::torch
