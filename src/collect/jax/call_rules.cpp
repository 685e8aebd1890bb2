#include "collect/jax/call_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace laptime::jax {

using steps::StepPhase;

const CallRules::EndedSteps& CallRules::called(const Call& call, std::uint64_t moment) {
  ended_.clear();
  has_begun_ = true;
  const std::size_t index = find(call);
  const auto at = std::find_if(step_.begin(), step_.end(),
                               [&](const Begun& begun) { return begun.caller == index; });
  const std::uint32_t trained = trained_ + (has_differentiated(0, step_.size()) ? 1 : 0);
  Caller& caller = callers_[index];
  if (caller.trained != trained) caller.trained_before = std::exchange(caller.trained, trained);
  if (accumulates(index, call, at != step_.end(), moment)) return ended_;
  if (at == step_.end())
    append(index, moment);
  else
    repeat(static_cast<std::size_t>(at - step_.begin()), moment);
  return ended_;
}

void CallRules::differentiated(std::uint32_t function) {
  for (Caller& caller : callers_)
    if (caller.key >> 32 == function) caller.differentiated = true;
}

const CallRules::EndedSteps& CallRules::finished(std::uint64_t moment) {
  ended_.clear();
  end_repeated();
  if (!step_.empty()) drop_or_end(0, step_.size(), moment);
  step_.clear();
  return ended_;
}

std::size_t CallRules::find(const Call& call) {
  const std::uint64_t key = std::uint64_t{call.function} << 32 | call.line;
  if (newest_ >= callers_.size() || callers_[newest_].key != key) {
    const auto known = std::find_if(callers_.begin(), callers_.end(),
                                    [&](const Caller& caller) { return caller.key == key; });
    newest_ = static_cast<std::size_t>(known - callers_.begin());
    if (known == callers_.end()) callers_.push_back({.key = key});
  }
  callers_[newest_].differentiated |= call.differentiated;
  return newest_;
}

void CallRules::append(std::size_t caller, std::uint64_t moment) {
  if (step_.size() < kMostFunctions) step_.push_back({caller, moment});
}

void CallRules::repeat(std::size_t position, std::uint64_t moment) {
  const std::size_t index = step_[position].caller;
  if (!has_differentiated(position, step_.size()) && repeats_in_steps(callers_[index])) return;
  end_repeated();
  if (position > 0) drop_or_end(0, position, step_[position].moment);
  callers_[index].has_led = true;
  end(has_differentiated(position, step_.size()) ? StepPhase::train : idle_phase(), moment);
  step_.clear();
  step_.push_back({index, moment});
}

// Whether the call continues the unfinished step with the parameters of the call before.
bool CallRules::accumulates(std::size_t index, const Call& call, bool is_repeated,
                            std::uint64_t moment) {
  Caller& caller = callers_[index];
  const bool same = call.inputs != 0 && call.inputs == std::exchange(caller.inputs, call.inputs);
  if (!caller.differentiated || caller.is_constant || !is_repeated) return false;
  if (!same) {
    caller.accumulates |= !repeated_.empty();
    repeated_.clear();
    return false;
  }
  if (repeated_.size() < kMostCallsAStep) {
    repeated_.push_back(moment);
    return true;
  }
  caller.is_constant = true;
  caller.accumulates = false;
  return false;
}

bool CallRules::repeats_in_steps(const Caller& caller) const {
  return (has_trained_ || has_differentiated(0, step_.size())) &&
         caller.trained - caller.trained_before < 2;
}

bool CallRules::has_differentiated(std::size_t from, std::size_t to) const {
  const auto first = step_.begin() + static_cast<std::ptrdiff_t>(from),
             last = step_.begin() + static_cast<std::ptrdiff_t>(to);
  return std::any_of(first, last,
                     [&](const Begun& begun) { return callers_[begun.caller].differentiated; });
}

// Ends the step of some callers, unless they ran only once and before a loop.
void CallRules::drop_or_end(std::size_t from, std::size_t to, std::uint64_t moment) {
  if (has_differentiated(from, to))
    end(StepPhase::train, moment);
  else if (callers_[step_[from].caller].has_led)
    end(idle_phase(), moment);
  else
    begin_ = moment;
}

void CallRules::end(StepPhase phase, std::uint64_t moment) {
  ended_.push_back(
      {.phase = phase, .samples = 0, .begin = std::exchange(begin_, 0), .moment = moment});
  if (phase != StepPhase::train) return;
  has_trained_ = true;
  ++trained_;
}

// Calls with the same parameters were steps, if they were no accumulation.
void CallRules::end_repeated() {
  if (repeated_.empty()) return;
  const bool accumulates = std::any_of(step_.begin(), step_.end(), [&](const Begun& begun) {
    return callers_[begun.caller].accumulates;
  });
  if (!accumulates)
    for (const std::uint64_t moment : repeated_) end(StepPhase::train, moment);
  repeated_.clear();
}

}  // namespace laptime::jax
