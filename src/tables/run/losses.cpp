#include "tables/run/losses.h"

#include <algorithm>

#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";  // a later version's, so graver than what is known
}

// A process that only starts others has no steps and warns of that. If another process of the run
// has steps, the warning is removed, or reduced to what was not recorded.
void reword_missing_steps(std::vector<LossCount>& losses) {
  constexpr std::string_view kNoSteps = "no steps found";
  std::erase_if(losses, [](const LossCount& loss) { return loss.name == "torch_no_steps"; });
  for (LossCount& loss : losses)
    if (loss.name == "torch_stretches" && loss.message.starts_with(kNoSteps)) {
      loss.message.resize(std::min(
          loss.message.size(), loss.message.find("; use ")));  // the remedy is not for a launcher
      loss.message.replace(0, kNoSteps.size(),
                           loss.count == 1 ? "a process without steps" : "processes without steps");
    }
}

// Those of the recording, and what only shows when its records are put together.
std::vector<LossCount> all_losses(const Analysis& analysis) {
  std::vector<LossCount> losses = analysis.run().losses;
  if (!analysis.steps().empty()) reword_missing_steps(losses);
  if (const std::uint64_t count = analysis.gpu().before_launch(); count > 0)
    losses.push_back(
        {"gpu_before_launch", Severity::warning, count,
         "GPU work that begins before the call that launched it has no line of that call"});
  return losses;
}

constexpr ColumnOf<LossCount> kLossColumns[] = {
    {"name", "The kind, as scripts know it.", [](auto& r) { return std::string_view(r.name); }},
    {"severity", "`info`, `warning` or `error`.",
     [](auto& r) { return severity_name(r.severity); }},
    {"count", Unit::count, "How often it occurred.", [](auto& r) { return r.count; }},
    {"message", "What it means, and what to do.",
     [](auto& r) { return std::string_view(r.message); }}};
constexpr TableOf<LossCount> kLosses{"losses", kLossColumns};

}  // namespace

Table losses_table(const Analysis& analysis) {
  std::vector<LossCount> losses = all_losses(analysis);
  std::sort(losses.begin(), losses.end(), [](const LossCount& a, const LossCount& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.name < b.name;
  });
  return kLosses.build("Losses", losses);
}

constinit const TableDefinition kLossesTable =
    define_table<kLosses>("what was dropped, cut or estimated",
                          R"(
The gravest come first. `gpu_before_launch` counts kernels and copies that begin before the call
that launched them. They keep their time and have no line.)",
                          losses_table);

}  // namespace laptime
