#include "advise/evidence.h"

namespace laptime {

std::string Evidence::source(const std::string& file, std::uint32_t line) const {
  const auto found = sources_.find(file, line);
  if (!found) return "";
  const std::size_t first = found->find_first_not_of(" \t"), last = found->find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(found->substr(first, last - first + 1));
}

std::optional<Prediction> Evidence::replayed(const whatif::Changes& changes) const {
  const auto& replays = replays_.get([&] { return std::make_unique<whatif::Predictor>(analysis_); });
  for (const whatif::PhasePrediction& phase : replays->predict(changes).phases)
    if (phase.track == lap_.track() && phase.phase == lap_.phase()) return Prediction{phase.gain_low, phase.gain_high, phase.gain};
  return std::nullopt;
}

}  // namespace laptime
