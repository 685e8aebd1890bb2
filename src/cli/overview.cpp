#include "cli/overview.h"

#include <algorithm>
#include <span>

#include "trace/gpu/gpu_work.h"
#include "trace/ranks/ranks.h"

namespace laptime {

bool is_training(const Run& run) {
  const auto shows_training = [](SpanKind kind) {
    return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::loader ||
           kind == SpanKind::optimizer;
  };
  return std::any_of(run.tracks.begin(), run.tracks.end(), [&](const Track& track) {
    return std::any_of(track.spans.kind.begin(), track.spans.kind.end(), shows_training);
  });
}

std::vector<std::string> overview_tables(const Run& run) {
  std::vector<std::string> names{"run", "step_summary"};
  const auto add = [&](std::initializer_list<const char*> more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  const bool training = is_training(run),
             gpu = std::any_of(run.tracks.begin(), run.tracks.end(), is_stream);
  if (training || gpu) add({"breakdown"});
  if (has_several_ranks(run)) add({"ranks"});
  if (training) add({"phases", "step_lines", "lines", "ops"});
  if (gpu) add({"kernels", "copies", "syncs"});
  if (training)
    add({"input", "warnings", "advice"});
  else
    add({"scopes", "lines", "functions", "warnings"});
  return names;
}

void leave_out_empty(std::vector<Table>& tables) {
  std::erase_if(tables, [](const Table& table) {
    return table.rows.empty() && table.name != "warnings" && table.name != "advice";
  });
}

}  // namespace laptime
