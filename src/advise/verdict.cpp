#include "advise/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <vector>

#include "advise/evidence/machine.h"
#include "advise/evidence/main_phase.h"
#include "advise/words.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/time/device_mean.h"
#include "trace/time/device_time.h"

namespace laptime {

namespace {

constexpr double kWorthReporting = 0.1;  // of a step, or of the time in steps
constexpr double kMostlyOutside = 0.5;   // of the run
constexpr std::size_t kMostParts = 3;

struct StepPart {
  const char* text;  // what a step does in it
  double share = 0;
};

// The mean step on the host, in parts that a reader can act on.
std::vector<StepPart> host_parts(const Run& run, const MainPhase& main_phase) {
  const auto share = [&](std::initializer_list<HostCategory> categories) {
    double ns = 0;
    for (const HostCategory category : categories) ns += main_phase.part(category).ns;
    return ns / main_phase.step_ns();
  };
  const bool is_python = is_python_step(run, main_phase.steps().front().step);
  std::vector<StepPart> parts{{"waits for data", share({HostCategory::input})},
                              {main_phase.recorded() > 0 ? "is Python" : "is Python and ops",
                               is_python ? share({HostCategory::rest}) : 0},
                              {"computes", share({HostCategory::forward, HostCategory::backward,
                                                  HostCategory::optimizer, HostCategory::memory})},
                              {"calls compiled functions", share({HostCategory::dispatch})},
                              {"waits for results", share({HostCategory::device_wait})},
                              {"communicates", share({HostCategory::communication})},
                              {"writes checkpoints", share({HostCategory::checkpoint})},
                              {"compiles", share({HostCategory::compile})},
                              {"collects garbage", share({HostCategory::gc})}};
  std::erase_if(parts, [](const StepPart& part) { return part.share < kWorthReporting; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const StepPart& a, const StepPart& b) { return a.share > b.share; });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  return parts;
}

// The mean step of the GPU that computes most. Empty if none was recorded.
DeviceMean busiest_gpu(const Analysis& analysis, const MainPhase& main_phase) {
  std::map<std::uint32_t, DeviceStepList> devices;
  for (const DeviceStep& s : analysis.device_steps().all)
    if (main_phase.has(s.step)) devices[s.device].push_back(&s);
  HostSteps all;
  for (const HostStep& s : main_phase.steps()) all.push_back(&s);
  DeviceMean busiest;
  for (const auto& [device, steps] : devices) {
    const DeviceMean mean = mean_device_step(steps, all);
    if (mean.exposed[index(DeviceCategory::compute)] >=
        busiest.exposed[index(DeviceCategory::compute)])
      busiest = mean;
  }
  return busiest;
}

const char* idle_reason(DeviceCategory category) {
  switch (category) {
    case DeviceCategory::idle_input:
      return "waits for data";
    case DeviceCategory::idle_sync:
      return "idles because the program waits for it";
    case DeviceCategory::idle_launches:
      return "waits for launches";
    default:
      return "waits for another stream";
  }
}

std::string gpu_sentence(const DeviceMean& gpu, const std::string& step) {
  const auto share = [&](DeviceCategory category) {
    return gpu.exposed[index(category)] / gpu.wall_ns;
  };
  std::string text =
      fmt::format("the GPU computes in {} of a {}", percent(share(DeviceCategory::compute)), step);
  DeviceCategory longest = DeviceCategory::idle_input;
  for (const DeviceCategory category :
       {DeviceCategory::idle_sync, DeviceCategory::idle_launches, DeviceCategory::idle_other})
    if (share(category) > share(longest)) longest = category;
  if (share(longest) >= kWorthReporting)
    text += fmt::format(" and {} in {}", idle_reason(longest), percent(share(longest)));
  return text;
}

std::string host_sentence(const Run& run, const MainPhase& main_phase, const std::string& step) {
  std::vector<std::string> texts;
  for (const StepPart& part : host_parts(run, main_phase))
    texts.push_back(fmt::format("{}{} {}", percent(part.share),
                                texts.empty() ? fmt::format(" of a {}", step) : "", part.text));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string slow_sentence(const MainPhase& main_phase) {
  double slow_ns = 0;
  std::size_t slow = 0;
  for (const HostStep& s : main_phase.steps())
    if (s.step.kind != StepKind::steady) ++slow, slow_ns += static_cast<double>(s.step.wall_ns);
  const double share = slow_ns / main_phase.total_ns();
  if (share < kWorthReporting || slow == main_phase.steps().size()) return "";
  return fmt::format(
      "{} of the time is in {} of the steps", percent(share),
      percent(static_cast<double>(slow) / static_cast<double>(main_phase.steps().size())));
}

std::string outside_sentence(const Analysis& analysis, const MainPhase& main_phase) {
  double inside = 0;
  for (const Step& step : analysis.steps())
    if (step.track == main_phase.track()) inside += static_cast<double>(step.wall_ns);
  const double outside = 1 - inside / static_cast<double>(analysis.run().end_ns);
  return outside < kMostlyOutside
             ? ""
             : fmt::format("{} of the run is outside of steps", percent(outside));
}

}  // namespace

std::string verdict(const Analysis& analysis) {
  const MainPhase main_phase(analysis);
  if (main_phase.empty()) return "";
  const Run& run = analysis.run();
  const std::string step = step_of_phase(run.strings[main_phase.phase()]);
  const DeviceMean gpu = busiest_gpu(analysis, main_phase);
  const std::string machine =
      find_machine(run, run.processes[run.tracks[main_phase.track()].process]).sentence();
  std::vector<std::string> sentences{
      gpu.wall_ns > 0 ? gpu_sentence(gpu, step) : host_sentence(run, main_phase, step), machine,
      slow_sentence(main_phase), outside_sentence(analysis, main_phase)};
  std::erase(sentences, "");
  std::string text = fmt::format("{}", fmt::join(sentences, "; "));
  if (!text.empty() && text[0] == 't') text[0] = 'T';
  return text;
}

}  // namespace laptime
