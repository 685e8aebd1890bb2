#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/step_spans.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "format/names.h"

namespace laptime {

namespace {

replay::Changes gc_pauses_in_general() { return replay::scale_change("gc", 0, 0, 0.2); }

std::vector<Finding> find_gc_pauses(const Evidence& evidence) {
  const SpanSum full = StepSpans(evidence, SpanKind::gc).within(span_name::kFullCollection);
  if (full.count < kFewestEvents) return {};
  const double ns = full.ns / static_cast<double>(evidence.main_phase().steps().size());
  return {{"", 0, evidence.share(ns), std::nullopt, Confidence::high,
           fmt::format("Python's garbage collector visits all objects {} times in {} steps, "
                       "up to {} each: {}.",
                       full.count, evidence.main_phase().steps().size(),
                       humane_time(full.longest_ns), of_a_step(evidence, ns)),
           "gc.collect(); gc.freeze() before the loop; or gc.disable(), and gc.collect() every "
           "thousand steps",
           shrunk("gc 2", {0, 0.3})}};
}

}  // namespace

const Rule kGcPauses{
    "gc-pauses",
    "Python's garbage collector stops the step",
    "full collections, which visit all objects, take time within steps, at least twice.",
    "they take almost no time, which is usual. Collections of young objects are not reported, "
    "because freezing does not avoid them.",
    "Call `gc.collect(); gc.freeze()` before the loop. Collections then skip objects that live "
    "as long as the program. Or use `gc.disable()`, with `gc.collect()` from time to time: "
    "objects in cycles stay until then.",
    "at most 30 % of the full collections' time remains.",
    find_gc_pauses,
    Meaning::kept,
    gc_pauses_in_general};

}  // namespace laptime
