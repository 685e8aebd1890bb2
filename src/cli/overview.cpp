#include "cli/overview.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "advise/advice.h"
#include "analyze/breakdown.h"
#include "analyze/compile.h"
#include "analyze/functions.h"
#include "analyze/gpu_work.h"
#include "analyze/input.h"
#include "analyze/kernels.h"
#include "analyze/lines.h"
#include "analyze/losses.h"
#include "analyze/ops.h"
#include "analyze/ranks.h"
#include "analyze/scopes.h"
#include "analyze/steps.h"

namespace laptime {

namespace {

constexpr std::size_t kSummaryRows = 5;
constexpr std::size_t kSummaryAdvice = 3;

Table columns_of(Table table, std::initializer_list<std::string_view> names) {
  keep_columns(table, {names.begin(), names.size()});
  return table;
}

Table top_of(Table table) {
  keep_top(table, kSummaryRows);
  return table;
}

Table first_advice(const Analysis& analysis) {
  Table table = advice_table(analysis);
  if (table.rows.size() > kSummaryAdvice) table.title += fmt::format(" (first {} of {})", kSummaryAdvice, table.rows.size());
  keep_top(table, kSummaryAdvice);
  return table;
}

// Where there is a GPU the view tells its rows from the host's.
Table breakdown_summary(const Analysis& analysis) {
  Table table = breakdown_table(analysis);
  const bool one_view = std::all_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row[0] == Cell("host"); });
  return one_view ? columns_of(std::move(table), {"category", "ns_per_step", "share", "phase", "steps"})
                  : columns_of(std::move(table), {"view", "category", "ns_per_step", "share", "phase", "steps"});
}

// Of one rank alone the breakdown says all.
Table ranks_summary(const Analysis& analysis) { return has_several_ranks(analysis.run()) ? ranks_table(analysis) : Table{}; }

Table kernel_summary(const Analysis& analysis) {
  return top_of(columns_of(kernels_table<KernelGrouping::line>(analysis), {"name", "calls", "total_ns", "file", "line", "share"}));
}

std::vector<Table> training_summary(const Analysis& analysis) {
  return {step_summary_table(analysis),
          breakdown_summary(analysis),
          ranks_summary(analysis),
          top_of(columns_of(lines_table(analysis), {"file", "line", "time_ns", "op_ns", "backward_ns", "gpu_ns", "source", "share"})),
          top_of(columns_of(ops_table(analysis), {"name", "calls", "self_cpu_ns", "cpu_ns", "gpu_ns", "file", "line", "share"})),
          kernel_summary(analysis),
          top_of(columns_of(input_table(analysis), {"what", "phase", "thread", "batches", "mean_ns", "p95_ns", "share"})),
          top_of(compile_table(analysis)),
          losses_table(analysis),
          first_advice(analysis)};
}

std::vector<Table> plain_summary(const Analysis& analysis) {
  return {step_summary_table(analysis), top_of(scopes_table(analysis)), top_of(lines_table(analysis)), top_of(functions_table(analysis)), kernel_summary(analysis),
          losses_table(analysis)};
}

}  // namespace

bool is_training(const Run& run) {
  const auto tells = [](SpanKind kind) {
    return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::loader || kind == SpanKind::optimizer;
  };
  return std::any_of(run.tracks.begin(), run.tracks.end(), [&](const Track& track) { return std::any_of(track.spans.kind.begin(), track.spans.kind.end(), tells); });
}

std::vector<std::string> overview_tables(const Run& run) {
  std::vector<std::string> names{"run", "step_summary"};
  const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more.begin(), more.end()); };
  const bool training = is_training(run), gpu = std::any_of(run.tracks.begin(), run.tracks.end(), is_stream);
  if (training || gpu) add({"breakdown"});
  if (has_several_ranks(run)) add({"ranks"});
  if (training) add({"lines", "ops"});
  if (gpu) add({"kernels", "copies", "syncs"});
  if (training) add({"input", "losses", "advice"});
  else add({"scopes", "lines", "functions", "losses"});
  return names;
}

void leave_out_empty(std::vector<Table>& tables) {
  std::erase_if(tables, [](const Table& table) { return table.rows.empty() && table.name != "losses" && table.name != "advice"; });
}

std::vector<Table> summary_tables(const Analysis& analysis) {
  std::vector<Table> tables = is_training(analysis.run()) ? training_summary(analysis) : plain_summary(analysis);
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace laptime
