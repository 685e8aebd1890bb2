#include "analyze/losses.h"

#include <algorithm>

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

}  // namespace

Table losses_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"losses",
              "Losses",
              {{"name", ColumnType::text},
               {"severity", ColumnType::text},
               {"count", ColumnType::integer, Unit::count},
               {"message", ColumnType::text}},
              {}};
  std::vector<const LossCount*> losses;
  for (const LossCount& loss : run.losses) losses.push_back(&loss);
  std::sort(losses.begin(), losses.end(), [](const LossCount* a, const LossCount* b) {
    return a->severity != b->severity ? a->severity > b->severity : a->name < b->name;
  });
  for (const LossCount* loss : losses)
    table.rows.push_back({loss->name, severity_name(loss->severity), integer_cell(loss->count), loss->message});
  return table;
}

}  // namespace laptime
