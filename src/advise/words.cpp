#include "advise/words.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/humane.h"
#include "format/names.h"

namespace laptime {

namespace {

constexpr std::size_t kLongestQuote = 60;

constexpr std::string_view kLoader = "DataLoader(…, ";

// Hugging Face's TrainingArguments have these options of the loader.
std::string in_training_arguments(std::string_view fix) {
  std::string text = "TrainingArguments(…, " + std::string(fix.substr(kLoader.size()));
  for (const std::string_view option :
       {"num_workers=", "persistent_workers=", "prefetch_factor=", "pin_memory="})
    if (const std::size_t at = text.find(option); at != std::string::npos)
      text.insert(at, "dataloader_");
  return text;
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string counted(double count, const char* one, const char* many) {
  return fmt::format("{} {}",
                     count < 10 && count != std::floor(count) ? fmt::format("{:.1f}", count)
                                                              : fmt::format("{:.0f}", count),
                     count == 1 ? one : many);
}

std::string of_a_step(const Evidence& evidence, double ns) {
  return fmt::format("{} of a step ({})", humane_time(ns), percent(evidence.share(ns)));
}

std::string cited(std::string_view source) {
  if (source.empty()) return "";
  std::size_t cut = std::min(source.size(), kLongestQuote);
  while (cut < source.size() && cut > 0 && (static_cast<unsigned char>(source[cut]) & 0xC0) == 0x80)
    --cut;
  return fmt::format(" `{}{}`", source.substr(0, cut), cut < source.size() ? "…" : "");
}

std::string step_of_phase(std::string_view phase) {
  return phase == span_name::kStep ? "step" : fmt::format("{} step", phase);
}

std::string in_makers_words(const Settings& settings, std::string fix) {
  const LoaderSettings* const loader = settings.training_loader();
  if (!loader || loader->made_by.empty() || !fix.starts_with(kLoader)) return fix;
  if (loader->made_by == "transformers" && fix.find("in_order") == std::string::npos)
    return in_training_arguments(fix);
  return fmt::format("{}; {} makes the loader: see its options", fix, loader->made_by);
}

}  // namespace laptime
