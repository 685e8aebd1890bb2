#include "advise/evidence/evidence.h"

#include <algorithm>

namespace laptime {

std::string Evidence::source(const std::string& file, std::uint32_t line) const {
  const auto found = sources_.find(file, line);
  if (!found) return "";
  const std::size_t first = found->find_first_not_of(" \t"), last = found->find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(found->substr(first, last - first + 1));
}

bool Evidence::has_batch() const {
  const auto& steps = main_phase_.steps();
  return !settings_.loaders.empty() ||
         std::any_of(steps.begin(), steps.end(),
                     [](const HostStep& s) { return s.step.samples.has_value(); });
}

std::optional<replay::PhasePrediction> Evidence::predict(const replay::Changes& changes) const {
  const auto& replays =
      replays_.get([&] { return std::make_unique<replay::Predictor>(analysis_); });
  for (replay::PhasePrediction& phase : replays->predict(changes).phases)
    if (phase.track == main_phase_.track() && phase.phase == main_phase_.phase())
      return std::move(phase);
  return std::nullopt;
}

std::optional<Gain> Evidence::replayed(const replay::Changes& changes) const {
  const auto phase = predict(changes);
  return phase ? std::optional(Gain{phase->gain_low, phase->gain_high, phase->gain}) : std::nullopt;
}

std::optional<double> Evidence::noise() const {
  const auto phase = predict({});
  return phase ? std::optional(phase->noise) : std::nullopt;
}

}  // namespace laptime
