// Writes ended steps into the recording of this process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collect/steps/step_rules.h"
#include "format/names.h"
#include "record/collector.h"

namespace laptime::steps {

inline const char* phase_name(StepPhase phase) {
  switch (phase) {
    case StepPhase::train:
      return span_name::kTrain.data();
    case StepPhase::validation:
      return span_name::kValidation.data();
    case StepPhase::inference:
      return span_name::kInference.data();
  }
  return "";
}

class StepWriter {
 public:
  void write(const EndedStep& ended) {
    std::uint32_t& name = phases_[static_cast<std::size_t>(ended.phase)];
    if (name == 0) name = record::intern(phase_name(ended.phase));
    record::mark_step({.samples = ended.samples,
                       .phase = name,
                       .ops = record::StepMark::Ops::unknown,
                       .end = ended.moment});
  }

 private:
  std::array<std::uint32_t, 3> phases_{};  // interned names; 0: not interned yet
};

}  // namespace laptime::steps
