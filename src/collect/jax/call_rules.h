// Finds where the steps of a JAX program end, from the calls of its jitted functions.
//
// Pure rules: calls in, ended steps out. A moment is a number that is passed on.
//
// * A step ends when the function that began it is called again at the same line. So all that
//   follows the call (other jitted functions, Python, waits) belongs to the step.
// * Another function repeats first: the loop before has ended, and the step began at that
//   function's first call. What ran only once before a loop is no step.
// * A step with a differentiated function is training. Others are validation, or inference if
//   nothing has been differentiated.
// * A function that is not differentiated may repeat within each step of training: it leads none.
// * A differentiated function is called again with the same parameters: this is an accumulation,
//   and no new step. The step ends with the first call that has other parameters. If too many calls
//   have the same, each was a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collect/steps/step_rules.h"

namespace laptime::jax {

struct Call {
  std::uint32_t function;  // number of the function
  std::uint32_t line;      // number of the line that calls it
  bool differentiated;     // as far as is known when the call begins
  std::uint64_t inputs;    // changes with the parameters; 0: unknown
};

// Contract: the result of a function is valid until the next call.
class CallRules {
 public:
  using EndedSteps = std::vector<steps::EndedStep>;

  // A loop that calls a function more often than this with the same parameters accumulates nothing.
  static constexpr std::size_t kMostCallsAStep = 64;
  // In a step with more functions than this, further ones are not distinguished.
  static constexpr std::size_t kMostFunctions = 64;

  // A call begins. Allocates only while tables grow.
  const EndedSteps& called(const Call& call, std::uint64_t moment);
  // A function proved to be differentiated while it was traced.
  void differentiated(std::uint32_t function);
  // No more calls follow. `moment`: the end of the last event.
  const EndedSteps& finished(std::uint64_t moment);
  bool has_begun() const { return has_begun_; }

 private:
  // A function at a line.
  struct Caller {
    std::uint64_t key;
    bool differentiated = false;
    bool has_led = false;      // it has begun a step that ended
    bool accumulates = false;  // its steps have several calls
    bool is_constant = false;  // its inputs never change
    std::uint64_t inputs = 0;  // of its last call
    // Steps of training until its last call, and until its last call of an earlier one.
    std::uint32_t trained = 0, trained_before = 0;
  };
  struct Begun {
    std::size_t caller;  // index into callers_
    std::uint64_t moment;
  };

  std::size_t find(const Call& call);
  void append(std::size_t caller, std::uint64_t moment);
  void repeat(std::size_t position, std::uint64_t moment);
  bool accumulates(std::size_t caller, const Call& call, bool is_repeated, std::uint64_t moment);
  bool repeats_in_steps(const Caller& caller) const;
  bool has_differentiated(std::size_t from, std::size_t to) const;
  void drop_or_end(std::size_t from, std::size_t to, std::uint64_t moment);
  steps::StepPhase idle_phase() const {
    return has_trained_ ? steps::StepPhase::validation : steps::StepPhase::inference;
  }
  void end(steps::StepPhase phase, std::uint64_t moment);
  void end_repeated();

  std::vector<Caller> callers_;
  std::size_t newest_ = 0;   // the caller of the last call
  std::vector<Begun> step_;  // callers of the unfinished step, in the order of their first calls
  std::vector<std::uint64_t> repeated_;  // moments of calls with the same inputs
  EndedSteps ended_;
  std::uint64_t begin_ = 0;    // of the unfinished step; 0: the end of the step before
  std::uint32_t trained_ = 0;  // steps of training that ended
  bool has_begun_ = false, has_trained_ = false;
};

}  // namespace laptime::jax
