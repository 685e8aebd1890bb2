#include "replay/price/pricing.h"

#include <algorithm>
#include <cmath>

#include "format/names.h"
#include "replay/graph/replay.h"
#include "replay/price/recorder_share.h"

namespace laptime::replay {

namespace {

constexpr double kMayStay = 0.15;           // of the time that a factor removes
constexpr std::int64_t kFixedPart = 4'000;  // of an op, for any batch
// The share of a batch's growth in an op's time. Less if it reads its weights once for all samples,
// more if samples no longer fit into the caches.
constexpr double kOpGrowth[] = {1.0, 0.5, 1.3};

double factor_at(const Scale& scale, Outlook outlook) {
  if (outlook == Outlook::best && scale.best) return *scale.best;
  if (outlook == Outlook::worst && scale.worst) return *scale.worst;
  const double factor = scale.factor, off = 1 - factor;
  const bool is_kind = (outlook == Outlook::best) == (off > 0);
  return outlook == Outlook::expected || is_kind ? factor : 1 - off * (1 - kMayStay);
}

}  // namespace

Pricing::Pricing(const GraphSource& source, Changes changes, double host)
    : source_(source),
      run_(source.run),
      changes_(std::move(changes)),
      host_(host),
      gpu_(source, changes_) {
  for (const Scale& scale : changes_.scales) {
    NameMatch match(run_, scale.pattern);
    LineTimes lines(run_, source.analysis.steps(), match, line_share(source));
    scaled_.push_back({scale, std::move(match), std::move(lines)});
  }
}

std::vector<std::string> Pricing::unknown_patterns() const {
  std::vector<std::string> patterns = gpu_.unknown_patterns();
  for (const Scaled& entry : scaled_)
    if (!entry.match.any() && !entry.lines.any()) patterns.push_back(entry.scale.pattern);
  return patterns;
}

bool Pricing::is_named(const Scaled& entry, const std::vector<bool>& frames,
                       const Task& task) const {
  if (task.frame != kNone && frames[task.frame]) return true;
  if (task.row != kNone && entry.match.names(run_.tracks[task.track].spans.name[task.row]))
    return true;
  if (task.call_site != 0 && entry.match.call_site(task.call_site)) return true;
  return task.kind == TaskKind::host && entry.match.category(task.category);
}

double Pricing::batch_factor(const Task& task, std::int64_t own, Outlook outlook) const {
  if (own == 0) return 1;
  const double grown = 1 + (changes_.batch - 1) * kOpGrowth[static_cast<std::size_t>(outlook)];
  if (task.category == HostCategory::input) return changes_.batch;
  const bool computes = task.category == HostCategory::memory ||
                        task.category == HostCategory::backward ||
                        task.category == HostCategory::forward;
  if (!computes || task.frame == kNone) return 1;
  const double fixed = static_cast<double>(std::min(own, kFixedPart)) / static_cast<double>(own);
  return std::max(0.0, fixed + (1 - fixed) * grown);
}

Prices Pricing::prices(const TaskGraph& graph, Outlook outlook, Lines lines) const {
  Prices prices = bare_times(source_, graph);
  std::vector<std::int64_t>& own = prices.own;
  if (lines == Lines::priced) take_off_lines(graph, outlook, own);
  for (const Scaled& entry : scaled_) {
    if (lines == Lines::left_alone && entry.lines.any()) continue;
    const double factor = factor_at(entry.scale, outlook);
    const std::vector<bool> frames = entry.match.frames(run_, graph);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (is_named(entry, frames, graph.tasks[i])) own[i] = scaled(own[i], factor);
    if (entry.scale.factor == 0) release_lines(entry, graph, prices);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (changes_.input_free && task.category == HostCategory::input && task.kind == TaskKind::host)
      own[i] = 0;
    if (changes_.batch != 1 && !graph.has_gpu)
      own[i] = scaled(own[i], batch_factor(task, own[i], outlook));
  }
  if (graph.has_gpu) gpu_.price(graph, outlook, prices);
  scale_host(graph, host_, own);
  return prices;
}

// A removed line does not wait.
void Pricing::release_lines(const Scaled& entry, const TaskGraph& graph, Prices& prices) const {
  if (prices.released.empty()) prices.released.resize(graph.tasks.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.wait == Wait::gpu && task.call_site != 0 && entry.match.call_site(task.call_site))
      prices.released[i] = true, prices.own[i] = 0;
  }
}

// A line's Python is somewhere in its step's gaps, or in a dataset's waits. All of them shrink in
// the same proportion.
void Pricing::take_off_lines(const TaskGraph& graph, Outlook outlook,
                             std::vector<std::int64_t>& own) const {
  for (const Scaled& entry : scaled_) {
    if (!entry.lines.any()) continue;
    struct Sums {
      double gaps = 0, input = 0, ops = 0;  // ops: called by the line, matched separately
    };
    std::vector<Sums> sums(graph.steps.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Task& task = graph.tasks[i];
      if (task.step >= sums.size()) continue;
      if (task.category == HostCategory::rest) sums[task.step].gaps += static_cast<double>(own[i]);
      if (task.category == HostCategory::input)
        sums[task.step].input += static_cast<double>(own[i]);
      if (task.category != HostCategory::backward && entry.match.call_site(task.call_site))
        sums[task.step].ops += static_cast<double>(own[i]);
    }
    const double off = 1 - factor_at(entry.scale, outlook);
    const auto left = [&](std::int64_t line_ns, double ops, double all) {
      return all <= 0 ? 1.0
                      : 1 - off * std::clamp((static_cast<double>(line_ns) - ops) / all, 0.0, 1.0);
    };
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Task& task = graph.tasks[i];
      if (task.step >= sums.size()) continue;
      const Step& step = graph.steps[task.step].step;
      if (task.category == HostCategory::rest)
        own[i] = scaled(own[i],
                        left(entry.lines.in_step(step), sums[task.step].ops, sums[task.step].gaps));
      if (task.category == HostCategory::input)
        own[i] = scaled(own[i], left(entry.lines.in_input(step), 0, sums[task.step].input));
    }
  }
}

Pricing::LineOff Pricing::line_off(const Step& step, Outlook outlook) const {
  LineOff off;
  for (const Scaled& entry : scaled_) {
    const double share = 1 - factor_at(entry.scale, outlook);
    off.step_ns += share * static_cast<double>(entry.lines.in_step(step));
    off.input_ns += share * static_cast<double>(entry.lines.in_input(step));
  }
  return off;
}

double Pricing::fetch_factor(const LoaderFacts& loader, Outlook outlook) const {
  double factor = changes_.batch * host_;
  for (const Scaled& entry : scaled_) {
    const double own = factor_at(entry.scale, outlook);
    const std::uint32_t fetch = run_.strings.find(span_name::kFetch);
    if (entry.match.category(HostCategory::input) ||
        (fetch != StringTable::kNoString && entry.match.names(fetch)))
      factor *= own;
    if (loader.fetches_ns == 0) continue;
    factor *= 1 - (1 - own) *
                      std::clamp(static_cast<double>(entry.lines.in_workers(loader.worker_tracks)) /
                                     static_cast<double>(loader.fetches_ns),
                                 0.0, 1.0);
  }
  return factor;
}

void set_waits(const TaskGraph& graph, std::span<const std::int64_t> waits,
               std::vector<std::int64_t>& own) {
  std::vector<std::int64_t> recorded(waits.size());
  std::vector<bool> placed(waits.size());
  const auto is_wait = [&](const Task& task) {
    return task.step < waits.size() && task.category == HostCategory::input;
  };
  for (const Task& task : graph.tasks)
    if (is_wait(task)) recorded[task.step] += task.own;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.step >= waits.size()) continue;
    const std::int64_t all = recorded[task.step];
    if (is_wait(task))
      own[i] = all == 0 ? 0
                        : scaled(waits[task.step],
                                 static_cast<double>(task.own) / static_cast<double>(all));
    // If a step did not wait when recorded, its new wait is at its begin.
    if (all == 0 && !placed[task.step]) own[i] += waits[task.step];
    placed[task.step] = true;
  }
}

}  // namespace laptime::replay
