#include "tables/steps/host_columns.h"

#include "trace/analysis.h"

namespace laptime {

bool is_python_step(const Run& run, const Step& step) {
  const Properties& properties = run.processes[run.tracks[step.track].process].properties;
  const auto it = properties.lower_bound("python");
  return it != properties.end() && it->first.starts_with("python");
}

HostKnowledge knowledge_of(const Run& run, const HostStep& step) {
  return {is_python_step(run, step.step), step.has_ops, step.sources};
}

HostKnowledge knowledge_of(const Analysis& analysis, std::uint32_t track, std::uint32_t phase) {
  HostKnowledge known{};
  for (const HostStep& step : analysis.host_steps()) {
    if (step.step.track != track || step.step.phase != phase) continue;
    known.python = is_python_step(analysis.run(), step.step);
    known.ops |= step.has_ops;
    known.sources.add(step.sources);
  }
  return known;
}

bool is_separate(HostCategory category, const HostKnowledge& known) {
  switch (category) {
    case HostCategory::input:
    case HostCategory::compile:
    case HostCategory::gc:
    case HostCategory::checkpoint:
      return true;
    case HostCategory::optimizer:
      return known.ops || !known.sources.optimizer_ops;
    case HostCategory::sync:
    case HostCategory::copy:
    case HostCategory::launch:
      return known.sources.gpu;
    case HostCategory::dispatch:
    case HostCategory::device_wait:
      return known.sources.calls;
    case HostCategory::communication:
    case HostCategory::memory:
    case HostCategory::backward:
    case HostCategory::forward:
      return known.ops;
    case HostCategory::rest:
      return known.ops && known.python;
  }
  return false;
}

std::string host_category_name(HostCategory category, const HostKnowledge& known) {
  if (category != HostCategory::rest) return category_name(category);
  if (!known.python) return "other";
  return known.ops ? category_name(category) : "python and ops";
}

}  // namespace laptime
