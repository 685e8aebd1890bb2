#include <fmt/format.h>

#include "advise/evidence/step_spans.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "format/names.h"

namespace laptime {

namespace {

// Of the rest of a step, at best: after each fork the program copies every page that it writes to.
constexpr double kRestFaster = 1.3;

std::vector<Finding> find_worker_start(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader || loader->workers == 0 || loader->persistent) return {};
  const StepSpans spans(evidence, SpanKind::loader);
  const SpanSum starts = spans.within(span_name::kStartLoader);
  if (starts.count < kFewestEvents) return {};
  const auto steps = static_cast<double>(evidence.main_phase().steps().size());
  const SpanSum first_batches = spans.first_after(span_name::kInput, span_name::kStartLoader),
                ends = spans.between(span_name::kInputEnd);
  const double ns = (starts.ns + first_batches.ns) / steps, ending = ends.ns / steps;
  Gain gain = predict(evidence.step_ns() + ending, Part{ns + ending, 0}, {0, 0.3});
  gain.high *= kRestFaster;
  return {{loader->file, loader->line, evidence.share(ns), gain, Confidence::high,
           fmt::format("Workers are started anew {} times: {} to start them, {} until their first "
                       "batch, {} to end them; {}.",
                       starts.count, humane_time(starts.mean_ns()),
                       humane_time(first_batches.mean_ns()), humane_time(ends.mean_ns()),
                       of_a_step(evidence, ns)),
           "DataLoader(…, persistent_workers=True), made once and iterated over in every epoch",
           std::nullopt, std::nullopt,
           "the program no longer copies its memory, page by page, after each start"}};
}

}  // namespace

const Rule kWorkerStart{
    "worker-start",
    "Loader workers are started again in every epoch",
    "a loader with workers and without `persistent_workers=True` was iterated over at least twice "
    "within training.",
    "epochs are so long that starting workers takes almost no share of them.",
    "Use `DataLoader(…, persistent_workers=True)`, and make the loader once: a new loader "
    "starts new workers.",
    "at most 30 % remains of the time to start workers, to end them and to wait for their first "
    "batch. At best the rest of the step is 1.3 times as fast, because a forked process copies "
    "its memory when it writes to it.",
    find_worker_start};

}  // namespace laptime
