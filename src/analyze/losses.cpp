#include "analyze/losses.h"

#include <algorithm>

#include "analyze/gpu_work.h"

namespace laptime {

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::info: return "info";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";  // a later version's, so graver than what is known
}

// Those of the recording, and what only shows when its records are put together.
std::vector<LossCount> all_losses(const Analysis& analysis) {
  std::vector<LossCount> losses = analysis.run().losses;
  if (const std::uint64_t count = analysis.gpu().before_launch(); count > 0)
    losses.push_back({"gpu_before_launch", Severity::warning, count, "GPU work that begins before the call that launched it has no line of that call"});
  return losses;
}

}  // namespace

Table losses_table(const Analysis& analysis) {
  Table table{"losses",
              "Losses",
              {{"name", ColumnType::text},
               {"severity", ColumnType::text},
               {"count", ColumnType::integer, Unit::count},
               {"message", ColumnType::text}},
              {}};
  std::vector<LossCount> losses = all_losses(analysis);
  std::sort(losses.begin(), losses.end(), [](const LossCount& a, const LossCount& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.name < b.name;
  });
  for (const LossCount& loss : losses) table.rows.push_back({loss.name, severity_name(loss.severity), integer_cell(loss.count), loss.message});
  return table;
}

}  // namespace laptime
