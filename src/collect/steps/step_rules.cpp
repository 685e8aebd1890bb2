#include "collect/steps/step_rules.h"

#include <utility>

namespace laptime::steps {

void StepRules::gradients_zeroed(std::int64_t optimizer) {
  has_optimizer_ = true;
  if (zeroed_.has(optimizer)) {
    unseen_.add(loaders_);
    out_of_sight_ |= backwards_ > 0;
  }
  zeroed_.add(optimizer);
}

std::optional<EndedStep> StepRules::request(std::int64_t loader, bool gradients, bool evaluating) {
  open_.add(loader);
  evaluation_ = 0;
  if (batches_ == 0) return std::nullopt;
  const std::optional<StepPhase> phase =
      optimizer_steps_ > 0 ? StepPhase::train : phase_before(loader, gradients, evaluating);
  if (!phase) return std::nullopt;
  looping_ = loader;
  return end(*phase);
}

void StepRules::received(std::int64_t loader, std::uint64_t samples, bool gradients) {
  loaders_.add(loader);
  ++batches_;
  samples_ += samples;
  with_gradients_ |= gradients;
}

std::optional<EndedStep> StepRules::dropped(std::int64_t loader) {
  std::optional<EndedStep> ended;
  if (open_.has(loader) && loaders_.has(loader)) {
    if (has_updated())
      ended = end(StepPhase::train);
    else if (looping_ == loader &&
             (!with_gradients_ || (backwards_ == 0 && !trained_.has_any(loaders_))))
      ended = end(unseen_.has(loader) ? StepPhase::train : idle_phase());
  }
  leave(loader);
  return ended;
}

EndedSteps StepRules::optimizer_stepped(std::int64_t optimizer, std::uint64_t moment) {
  has_optimizer_ = true;
  return function_stepped(optimizer, moment);
}

EndedSteps StepRules::function_stepped(std::int64_t function, std::uint64_t moment) {
  has_stepped_ = true;
  out_of_sight_ = false;
  evaluation_ = 0;
  updated_ = moment;
  unseen_.clear();
  zeroed_.clear();
  if (open_.has_any(loaders_)) {
    if (++optimizer_steps_ < kMostStepsABatch) return {};
    open_.remove(loaders_);
  }
  if (std::exchange(backward_leads_, false)) {
    leader_ = kNone;
    followers_.clear();
  }
  return step_without_loader(function, moment);
}

EndedSteps StepRules::backward_ended(std::int64_t line, std::uint64_t moment) {
  ++backwards_;
  evaluation_ = 0;
  out_of_sight_ |= !has_stepped_ && backwards_ >= kMostBackwardsAStep;
  if (!updates_by_hand()) return {};
  updated_ = moment;
  if (open_.has_any(loaders_)) {
    if (backwards_ < kMostStepsABatch) return {};
    open_.remove(loaders_);
  }
  if (!std::exchange(backward_leads_, true)) {
    leader_ = kNone;
    followers_.clear();
  }
  return step_without_loader(line, moment);
}

EndedSteps StepRules::evaluation_ended() {
  const std::uint64_t began = std::exchange(evaluation_, 0);
  if (began == 0 || (!has_optimizer_ && !has_trained_)) return {};
  if (!has_updated() && (batches_ > 0 || backwards_ > 0))
    return {};  // an accumulation is under way
  EndedSteps ended;
  if (batches_ > 0) {
    ended.before = end(StepPhase::train);
    ended.before->moment = began;
  }
  ended.now = EndedStep{.phase = StepPhase::validation, .samples = 0, .begin = began};
  return ended;
}

std::optional<EndedStep> StepRules::finished() {
  if (batches_ == 0 || !has_updated()) return std::nullopt;
  EndedStep ended = end(StepPhase::train);
  ended.moment = updated_;
  return ended;
}

EndedSteps StepRules::step_without_loader(std::int64_t number, std::uint64_t moment) {
  EndedSteps ended;
  if (number != leader_ && leader_ != kNone) {
    const auto again = std::find_if(followers_.begin(), followers_.end(),
                                    [&](const Follower& f) { return f.number == number; });
    if (again == followers_.end()) {
      followers_.push_back({number, moment});
      return ended;
    }
    // The leader's loop is over. This is the second step of another optimizer.
    ended.before = EndedStep{.phase = StepPhase::train, .samples = 0, .moment = again->moment};
  }
  leader_ = number;
  followers_.clear();
  if (!trained_.has_any(loaders_)) samples_ = 0;  // all were read at once, long before
  ended.now = end(StepPhase::train);
  return ended;
}

std::optional<StepPhase> StepRules::phase_before(std::int64_t loader, bool gradients,
                                                 bool evaluating) {
  if (backwards_ > 0 && (updates_by_hand() || !gradients)) return StepPhase::train;
  if (!with_gradients_)
    return gradients || loaders_.has(loader) ? std::optional(idle_phase()) : std::nullopt;
  const bool was_training = trained_.has_any(loaders_);
  if (!gradients)
    return was_training ? std::optional(StepPhase::train)
                        : std::nullopt;  // batches of an unfinished accumulation
  if (unseen_.has(loader)) return StepPhase::train;
  if (was_training || !loaders_.has(loader)) return std::nullopt;
  if (backwards_ == 0 && (!trained_.empty() || evaluating || !has_optimizer_)) return idle_phase();
  if (batches_ < kMostBatchesAStep) return std::nullopt;
  unseen_.add(loader);
  return StepPhase::train;
}

EndedStep StepRules::end(StepPhase phase) {
  const EndedStep ended{.phase = phase, .samples = samples_};
  has_trained_ |= phase == StepPhase::train;
  if (phase == StepPhase::train && has_updated()) trained_.add(loaders_);
  loaders_.clear();
  with_gradients_ = false;
  optimizer_steps_ = backwards_ = batches_ = 0;
  samples_ = 0;
  return ended;
}

}  // namespace laptime::steps
