#include "advise/evidence/dataset_chain.h"

#include <algorithm>

namespace laptime {

namespace {

constexpr std::int64_t kMostFaster = 4;  // of the rest of a step, at most as the CPUs

using Chain = std::vector<const DatasetCall*>;

Chain chain_to(const std::vector<DatasetCall>& calls, std::size_t last) {
  Chain chain;
  for (std::optional<std::size_t> at = last; at && *at < calls.size(); at = calls[*at].of) {
    chain.push_back(&calls[*at]);
    if (calls[*at].of && *calls[*at].of >= *at) break;  // a call has only earlier ones before it
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::vector<const DatasetCall*> dataset_chain(const Settings& settings) {
  Chain longest;
  for (std::size_t i = 0; i < settings.datasets.size(); ++i)
    if (Chain chain = chain_to(settings.datasets, i); chain.size() > longest.size())
      longest = std::move(chain);
  return longest;
}

bool calls_method(const std::vector<const DatasetCall*>& chain, std::string_view method) {
  return std::any_of(chain.begin(), chain.end(),
                     [&](const DatasetCall* call) { return call->method == method; });
}

bool repeats(const Evidence& evidence, const std::vector<const DatasetCall*>& chain) {
  const auto repeat = std::find_if(
      chain.begin(), chain.end(), [](const DatasetCall* call) { return call->method == "repeat"; });
  if (repeat == chain.begin()) return false;
  const DatasetCall& pass = **std::prev(repeat);
  return pass.elements &&
         evidence.main_phase().steps().size() > static_cast<std::size_t>(*pass.elements);
}

Gain gain_of_cheaper_input(const Evidence& evidence, Range left) {
  Gain gain = predict(evidence.step_ns(), evidence.host(HostCategory::input), left);
  const std::int64_t cpus = std::max<std::int64_t>(evidence.settings().cpus.value_or(1), 1);
  gain.high *= static_cast<double>(std::min(cpus, kMostFaster));
  return gain;
}

std::vector<PipelineStage> stages_of_process(const Evidence& evidence) {
  std::vector<PipelineStage> stages = find_pipeline_stages(evidence.run());
  const std::uint32_t process = evidence.run().tracks[evidence.main_phase().track()].process;
  std::erase_if(stages, [&](const PipelineStage& stage) { return stage.process != process; });
  return stages;
}

}  // namespace laptime
