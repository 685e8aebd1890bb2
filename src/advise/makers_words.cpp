#include "advise/makers_words.h"

#include <fmt/format.h>
#include <string_view>

namespace laptime {

namespace {

constexpr std::string_view kLoader = "DataLoader(…, ";

// Hugging Face's TrainingArguments have these of the loader's options.
std::string in_training_arguments(std::string_view fix) {
  std::string text = "TrainingArguments(…, " + std::string(fix.substr(kLoader.size()));
  for (const std::string_view option :
       {"num_workers=", "persistent_workers=", "prefetch_factor=", "pin_memory="})
    if (const std::size_t at = text.find(option); at != std::string::npos)
      text.insert(at, "dataloader_");
  return text;
}

}  // namespace

std::string in_makers_words(const Settings& settings, std::string fix) {
  const LoaderSettings* const loader = settings.training_loader();
  if (!loader || loader->made_by.empty() || !fix.starts_with(kLoader)) return fix;
  if (loader->made_by == "transformers" && fix.find("in_order") == std::string::npos)
    return in_training_arguments(fix);
  return fmt::format("{}; {} makes the loader: see its options", fix, loader->made_by);
}

}  // namespace laptime
