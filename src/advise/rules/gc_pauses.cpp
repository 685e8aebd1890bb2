#include <algorithm>
#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

std::vector<Finding> find_gc_pauses(const Evidence& evidence) {
  const Part part = evidence.host(HostCategory::gc);
  std::size_t with = 0;
  double longest = 0;
  for (const HostStep& s : evidence.lap().steps()) {
    const auto ns = static_cast<double>(s.exposed[static_cast<std::size_t>(HostCategory::gc)]);
    with += ns > 0;
    longest = std::max(longest, ns);
  }
  if (with < kFewestEvents) return {};
  return {{"", 0, evidence.share(part.ns), std::nullopt, Confidence::high,
           fmt::format("Python collects garbage in {} of {} steps, up to {} in one: {}.", with, evidence.lap().steps().size(), humane_time(longest), of_a_step(evidence, part.ns)),
           "gc.collect(); gc.freeze() before the loop; or gc.disable(), and gc.collect() every thousand steps",
           shrunk(category_name(HostCategory::gc), {0, 0.3})}};
}

}  // namespace

const Rule kGcPauses{
    "gc-pauses",
    "Python's garbage collector stops the step",
    "collections take time within steps, in at least two of them.",
    "they take next to nothing, as they mostly do.",
    "Before the loop `gc.collect(); gc.freeze()`, so that what lives as long as the program is not looked through again. Or `gc.disable()` and `gc.collect()` now and then: what is held "
    "by cycles stays until then.",
    "the collections go, but for at most 30 %.",
    find_gc_pauses};

}  // namespace laptime
