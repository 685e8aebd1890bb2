#include "replay/price/gpu_pricing.h"

#include <algorithm>
#include <cmath>

#include "format/names.h"
#include "replay/graph/replay.h"
#include "trace/gpu/device_facts.h"
#include "trace/gpu/gpu_work.h"
#include "trace/gpu/occupancy.h"

namespace laptime::replay {

namespace {

// By outlook: expected, best, worst.
constexpr double kPinnedRate[] = {40, 55, 20};  // bytes a nanosecond from pinned memory
constexpr double kOwnCopyRate = 8;  // bytes a nanosecond from memory to memory, by one thread
constexpr std::int64_t kFixedKernel[] = {4'000, 8'000, 1'500};  // of a kernel, for any batch
constexpr std::int64_t kFixedHostOp = 10'000;                   // of an op without launches
// Of the program's own code between two ops, if its lines are unknown.
constexpr std::int64_t kFixedGap[] = {100'000, INT64_MAX, 30'000};
// Of the time of lines that work on the batch: the share that grows.
constexpr double kBatchLines[] = {1, 0.7, 1.1};
// A framework's time between two ops. A CUDA graph has none.
constexpr std::int64_t kShortGap = 100'000;
constexpr double kGrowth[] = {1.0, 0.85, 1.1};   // the share of a batch's growth that is seen
constexpr double kLaunchesStay = 0.05;           // of the host's part of ops, at worst
constexpr std::int64_t kShortestKernel = 3'000;  // however fast its products are
constexpr double kMoreCalls[] = {1, 0.5, 2};
// The share that remains of copies of a few bytes, and of the calls that make them.
constexpr double kPacked[] = {0.3, 0.1, 0.5};

std::size_t index(Outlook outlook) { return static_cast<std::size_t>(outlook); }
std::int64_t rounded(double ns) { return static_cast<std::int64_t>(std::llround(ns)); }

// Everything except a fixed part grows.
double growth_beyond(std::int64_t own, std::int64_t fixed_ns, double batch, Outlook outlook) {
  if (own <= 0) return 1;
  const double fixed = static_cast<double>(std::min(own, fixed_ns)) / static_cast<double>(own);
  return fixed + (1 - fixed) * std::max(0.0, 1 + (batch - 1) * kGrowth[index(outlook)]);
}

bool is_op(HostCategory category) {
  return category == HostCategory::launch || category == HostCategory::optimizer ||
         category == HostCategory::memory || category == HostCategory::backward ||
         category == HostCategory::forward;
}

bool is_gap(const TaskGraph& graph, const Task& task) {
  return task.kind == TaskKind::host && task.step < graph.steps.size() && task.frame == kNone &&
         task.category == HostCategory::rest;
}

double factor_at(const WorkScale& scale, Outlook outlook) {
  return outlook == Outlook::expected ? scale.factor
         : outlook == Outlook::best   ? scale.best
                                      : scale.worst;
}

}  // namespace

struct GpuPricing::Calls {
  std::vector<bool> launches;  // by frame: whether it or one inside it launches
  // By frame: the task of the copy from pageable memory that it makes.
  std::vector<std::uint32_t> pageable_copy;

  Calls(const GpuPricing& pricing, const TaskGraph& graph)
      : launches(graph.frames.size()), pageable_copy(graph.frames.size(), kNone) {
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
      const Task& task = graph.tasks[i];
      if (task.kind == TaskKind::host || task.frame == kNone) continue;
      for (std::uint32_t f = task.frame; f != kNone && !launches[f]; f = graph.frames[f].outer)
        launches[f] = true;
      if (pricing.is_pageable(task)) pageable_copy[task.frame] = i;
    }
  }
};

GpuPricing::GpuPricing(const GraphSource& source, const Changes& changes)
    : source_(source), run_(source.run), changes_(changes), named_(changes.work.size()) {
  for (const std::string& pattern : changes.no_waits) {
    if (pattern == "*")
      all_waits_ = true;
    else
      waits_.emplace_back(run_, pattern);
  }
  for (const WorkScale& scale : changes.work)
    work_lines_.push_back(
        scale.at.empty() ? std::nullopt : std::optional<NameMatch>(std::in_place, run_, scale.at));
}

std::vector<std::string> GpuPricing::unknown_patterns() const {
  std::vector<std::string> patterns;
  std::size_t at = 0;
  for (const std::string& pattern : changes_.no_waits)
    if (pattern != "*" && !waits_[at++].any()) patterns.push_back(pattern);
  return patterns;
}

void GpuPricing::price(const TaskGraph& graph, Outlook outlook, Prices& prices) const {
  const Calls calls(*this, graph);
  scale_work(graph, outlook, prices);
  if (changes_.packed) pack(graph, outlook, prices);
  if (changes_.batch != 1) grow(graph, calls, outlook, prices);
  if (changes_.pinned) pin(graph, calls, outlook, prices);
  if (all_waits_ || !waits_.empty()) release(graph, prices);
  if (changes_.launch_free) free_launches(graph, calls, outlook, prices);
}

bool GpuPricing::is_pageable(const Task& task) const {
  if (task.kind != TaskKind::copy) return false;
  const GpuWork& work = source_.gpu.all()[task.work];
  return work.waits && work.copy.is_to_gpu();
}

bool GpuPricing::is_small_transfer(const Task& task) const {
  if (task.kind != TaskKind::copy) return false;
  const GpuWork& work = source_.gpu.all()[task.work];
  return work.bytes <= kSmallCopy && work.copy.is_transfer();
}

bool GpuPricing::is_named(std::size_t scale, const Task& task) const {
  if (work_lines_[scale] && !work_lines_[scale]->call_site(task.call_site)) return false;
  const std::uint32_t name = run_.tracks[task.track].spans.name[task.row],
                      op = source_.gpu.all()[task.work].op;
  const auto [it, is_new] = named_[scale].try_emplace({name, op}, false);
  if (is_new) it->second = changes_.work[scale].is(run_.strings[name], run_.strings[op]);
  return it->second;
}

void GpuPricing::scale_work(const TaskGraph& graph, Outlook outlook, Prices& prices) const {
  if (changes_.work.empty()) return;
  std::map<std::uint32_t, double> more;  // by frame of a call
  for (std::size_t s = 0; s < changes_.work.size(); ++s) {
    const WorkScale& scale = changes_.work[s];
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const Task& task = graph.tasks[i];
      if (task.kind != TaskKind::kernel || !is_named(s, task)) continue;
      std::int64_t& own = prices.own[i];
      own = std::max(std::min(own, kShortestKernel), scaled(own, factor_at(scale, outlook)));
      if (task.frame != kNone)
        more[task.frame] += static_cast<double>(scale.call_ns) * kMoreCalls[index(outlook)];
    }
  }
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const auto it =
        graph.tasks[i].kind == TaskKind::host ? more.find(graph.tasks[i].frame) : more.end();
    if (it == more.end()) continue;
    prices.own[i] += rounded(it->second);
    more.erase(it);
  }
}

// Waits for values that are now made on the GPU, or combined with others, no longer exist. At worst
// every other wait stays.
void GpuPricing::pack(const TaskGraph& graph, Outlook outlook, Prices& prices) const {
  if (prices.released.empty()) prices.released.resize(graph.tasks.size());
  const auto shrink = [&](std::size_t task) {
    prices.own[task] = scaled(prices.own[task], kPacked[index(outlook)]);
  };
  std::vector<bool> calls(graph.frames.size());
  bool stays = false;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (!is_small_transfer(task)) continue;
    shrink(i);
    if (task.frame != kNone) calls[task.frame] = true;
  }
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.kind != TaskKind::host) continue;
    if (task.frame != kNone && calls[task.frame]) shrink(i);
    if (task.wait != Wait::copy || !is_small_transfer(graph.tasks[task.needs[kWaitNeed].task]))
      continue;
    stays = outlook == Outlook::worst && !stays;
    if (!stays) prices.released[i] = true, prices.own[i] = 0;
  }
}

void GpuPricing::pin(const TaskGraph& graph, const Calls& calls, Outlook outlook,
                     Prices& prices) const {
  if (prices.released.empty()) prices.released.resize(graph.tasks.size());
  const auto bytes = [&](const Task& copy) {
    return static_cast<double>(source_.gpu.all()[copy.work].bytes) * changes_.batch;
  };
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::int64_t& own = prices.own[i];
    if (is_pageable(task)) own = std::min(own, rounded(bytes(task) / kPinnedRate[index(outlook)]));
    if (task.kind != TaskKind::host) continue;
    const std::uint32_t copy = task.frame == kNone ? kNone : calls.pageable_copy[task.frame];
    if (copy != kNone)
      own =
          std::min(own, graph.usual_launch + (outlook == Outlook::worst
                                                  ? rounded(bytes(graph.tasks[copy]) / kOwnCopyRate)
                                                  : 0));
    if (task.wait != Wait::copy) continue;
    prices.released[i] = true;
    if (copy == kNone) own = 0;
  }
}

void GpuPricing::release(const TaskGraph& graph, Prices& prices) const {
  if (prices.released.empty()) prices.released.resize(graph.tasks.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    const auto named = [&](const NameMatch& match) {
      return task.call_site != 0 && match.call_site(task.call_site);
    };
    if (task.kind != TaskKind::host || task.wait != Wait::gpu ||
        !(all_waits_ || std::any_of(waits_.begin(), waits_.end(), named)))
      continue;
    prices.released[i] = true;
    prices.own[i] = 0;
  }
}

void GpuPricing::free_launches(const TaskGraph& graph, const Calls& calls, Outlook outlook,
                               Prices& prices) const {
  if (outlook != Outlook::worst) prices.free_gap = kShortGap;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::int64_t& own = prices.own[i];
    if (task.kind != TaskKind::host) continue;
    // The host starts a collective that launches, and the GPU does it. The host does any other
    // collective.
    const bool starts = task.frame != kNone && task.category == HostCategory::communication &&
                        calls.launches[task.frame];
    if (starts || (task.frame != kNone && is_op(task.category)))
      own = outlook == Outlook::worst ? scaled(own, kLaunchesStay) : 0;
    else if (task.frame == kNone && own <= kShortGap && outlook != Outlook::worst)
      own = 0;
  }
}

void GpuPricing::grow(const TaskGraph& graph, const Calls& calls, Outlook outlook,
                      Prices& prices) const {
  const std::vector<double> gaps = gap_growths(graph, outlook, prices);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::int64_t& own = prices.own[i];
    if (is_gap(graph, task) && gaps[task.step] > 0)
      own = scaled(own, gaps[task.step]);
    else
      own = scaled(own, task.kind == TaskKind::host ? host_growth(calls, task, own, outlook)
                                                    : work_growth(task, own, outlook));
  }
}

// By step: the growth of its gaps, from its lines. 0: unknown.
std::vector<double> GpuPricing::gap_growths(const TaskGraph& graph, Outlook outlook,
                                            const Prices& prices) const {
  std::vector<double> gaps(graph.steps.size());
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    if (is_gap(graph, graph.tasks[i]))
      gaps[graph.tasks[i].step] += static_cast<double>(prices.own[i]);
  for (std::size_t s = 0; s < gaps.size(); ++s) {
    const StepPython* python = source_.python.find(graph.steps[s].step);
    if (!python)
      gaps[s] = 0;
    else
      gaps[s] = 1 + (changes_.batch - 1) * kBatchLines[index(outlook)] *
                        std::min(1.0, python->batch_ns / std::max(1.0, gaps[s]));
  }
  return gaps;
}

double GpuPricing::host_growth(const Calls& calls, const Task& task, std::int64_t own,
                               Outlook outlook) const {
  if (task.category == HostCategory::input) return changes_.batch;
  if (task.frame == kNone)
    return task.category == HostCategory::rest
               ? growth_beyond(own, kFixedGap[index(outlook)], changes_.batch, outlook)
               : 1;
  if (calls.pageable_copy[task.frame] != kNone)
    return growth_beyond(own, kFixedHostOp, changes_.batch, outlook);
  const bool computes = task.category == HostCategory::memory ||
                        task.category == HostCategory::backward ||
                        task.category == HostCategory::forward;
  return computes && !calls.launches[task.frame] && task.wait == Wait::none
             ? growth_beyond(own, kFixedHostOp, changes_.batch, outlook)
             : 1;
}

double GpuPricing::work_growth(const Task& task, std::int64_t own, Outlook outlook) const {
  const GpuWork& work = source_.gpu.all()[task.work];
  if (task.kind == TaskKind::communication || work.pass == OpPass::optimizer ||
      (task.kind == TaskKind::copy && work.bytes <= kSmallCopy))
    return 1;
  const double linear = growth_beyond(own, kFixedKernel[index(outlook)], changes_.batch, outlook);
  const LaunchConfig* const config = task.kind == TaskKind::kernel && outlook == Outlook::best
                                         ? run_.launch_configs.find(work.launch_config)
                                         : nullptr;
  if (!config) return linear;
  const Track& track = run_.tracks[task.track];
  const auto processors = static_cast<double>(device_number(
      run_.processes[track.process], device_of(track), device_property::kMultiprocessors));
  const auto& grid = config->grid;
  const double filled =
      processors > 0 ? static_cast<double>(grid[0]) * grid[1] * grid[2] / processors : 1;
  return std::min(linear, std::max(1.0, changes_.batch * filled) / std::max(1.0, filled));
}

}  // namespace laptime::replay
