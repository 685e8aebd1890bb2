#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "tables/code/compile.h"

namespace laptime {

namespace {

struct Recompilations {
  std::int64_t count = 0;
  double ns = 0, first_ns = 0;  // first_ns: first compilations
  const Row* largest = nullptr;
};

// Contract: the rows are in falling order of time.
Recompilations sum_up(const Table& table) {
  const auto column = [&](const char* name) { return *find_column(table, name); };
  Recompilations all;
  for (const Row& row : table.rows) {
    const auto* const ns = std::get_if<std::int64_t>(&row[column("total_ns")]);
    if (row[column("what")] == Cell("torch.compile") && ns)
      all.first_ns += static_cast<double>(*ns);
    if (row[column("what")] != Cell("recompile") || !ns) continue;
    if (!all.largest) all.largest = &row;
    all.count += std::get<std::int64_t>(row[column("count")]);
    all.ns += static_cast<double>(*ns);
  }
  return all;
}

std::vector<Finding> find_recompile(const Evidence& evidence) {
  const Table table = compile_table(evidence.analysis());
  const Recompilations all = sum_up(table);
  if (all.count < static_cast<std::int64_t>(kFewestEvents)) return {};
  const auto text = [&](const char* name) {
    const auto* found = std::get_if<std::string>(&(*all.largest)[*find_column(table, name)]);
    return found ? *found : std::string();
  };
  const auto* line = std::get_if<std::int64_t>(&(*all.largest)[*find_column(table, "line")]);
  const auto steps = static_cast<double>(evidence.main_phase().steps().size());
  const double part = all.ns / steps, step = evidence.step_ns() + part +
                                             all.first_ns / steps;  // first compilations remain
  const std::string reason = text("reason");
  return {{text("file"), line ? static_cast<std::uint32_t>(*line) : 0, part / step,
           predict(step, Part{part, 0}, {0, 0.3}), Confidence::high,
           fmt::format(
               "torch.compile compiled again {} times, {} in all, {} of the time of training{}{}.",
               all.count, humane_time(all.ns), percent(part / step), reason.empty() ? "" : ": ",
               reason),
           "Keep shapes and Python values the same from step to step (drop_last=True, padding), or "
           "torch.compile(model, dynamic=True)"}};
}

}  // namespace

const Rule kRecompile{
    "recompile",
    "torch.compile compiles again and again",
    "functions were compiled again at least twice, and that took a significant part of the "
    "training time.",
    "each function is compiled once.",
    "Keep shapes the same with `DataLoader(…, drop_last=True)` or by padding to a few lengths. "
    "Or use `torch.compile(model, dynamic=True)`. Make Python numbers that change between calls "
    "tensors, or keep them outside. Table `compile` has every reason.",
    "all first compilations remain, and at most 30 % of the time of the others. The gain is for "
    "the run as recorded, first compilations included. In a longer run it is smaller.",
    find_recompile};

}  // namespace laptime
