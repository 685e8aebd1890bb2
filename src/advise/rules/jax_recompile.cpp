#include <fmt/format.h>
#include <algorithm>
#include <initializer_list>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "tables/code/compile.h"
#include "trace/run/properties.h"

namespace laptime {

namespace {

struct Repetitions {
  std::int64_t count = 0;
  double ns = 0;
  const Row* largest = nullptr;
};

bool is_any(const Cell& cell, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return cell == Cell(name); });
}

// Tracing, lowering and compiling of functions that were traced before. Contract: the rows are in
// falling order of time.
Repetitions sum_up(const Table& table) {
  const std::size_t what = *find_column(table, "what"), reason = *find_column(table, "reason"),
                    count = *find_column(table, "count"), total = *find_column(table, "total_ns");
  Repetitions all;
  for (const Row& row : table.rows) {
    if (!is_any(row[what], {"JAX trace", "JAX lower", "XLA compile"}) ||
        !std::holds_alternative<std::string>(row[reason]))
      continue;
    if (!all.largest) all.largest = &row;
    if (row[what] == Cell("XLA compile")) all.count += std::get<std::int64_t>(row[count]);
    all.ns += static_cast<double>(std::get<std::int64_t>(row[total]));
  }
  return all;
}

std::string fix_of(const std::string& reason) {
  if (reason.starts_with("static argument"))
    return "Pass the number as an array, not as a static argument";
  if (reason.starts_with("the same arguments"))
    return "Make the jitted function once, before the loop: jax.jit(lambda …) in a step is a new "
           "function each time";
  return "Keep shapes and types the same from step to step: drop the last batch, or pad to a few "
         "lengths";
}

std::vector<Finding> find_jax_recompile(const Evidence& evidence) {
  if (property_text(evidence.process().properties, "jax").empty()) return {};
  const Table table = compile_table(evidence.analysis());
  const Repetitions all = sum_up(table);
  if (all.count < static_cast<std::int64_t>(kFewestEvents)) return {};
  const auto text = [&](const char* name) {
    const auto* found = std::get_if<std::string>(&(*all.largest)[*find_column(table, name)]);
    return found ? *found : std::string();
  };
  const auto* line = std::get_if<std::int64_t>(&(*all.largest)[*find_column(table, "line")]);
  const std::string reason = text("reason");
  const double part = all.ns / static_cast<double>(evidence.main_phase().steps().size());
  // Steps that compile are left out of the mean step if they are few.
  const double included = evidence.host(HostCategory::compile).ns;
  const double step = evidence.step_ns() + std::max(0.0, part - included);
  return {
      {text("file"), line ? static_cast<std::uint32_t>(*line) : 0, part / step,
       predict(step, Part{part, 0}, {0, 0.3}), Confidence::high,
       fmt::format("JAX compiled again {} times, {} in all, {} of the time of training. `{}`: "
                   "{}.",
                   all.count, humane_time(all.ns), percent(part / step), text("function"), reason),
       fix_of(reason)}};
}

}  // namespace

const Rule kJaxRecompile{
    "jax-recompile",
    "JAX compiles again and again",
    "jitted functions were traced and compiled again at least twice, and that took a significant "
    "part of the training time.",
    "each function is compiled once.",
    "Keep shapes and types the same: drop the last batch, or pad to a few lengths. Pass numbers "
    "that change as arrays, not as `static_argnames`. Call `jax.jit` once, before the loop. Table "
    "`compile` has every reason.",
    "all first compilations remain, and at most 30 % of the time of the others. The gain is for "
    "the run as recorded. In a longer run it is smaller, unless new shapes keep coming.",
    find_jax_recompile};

}  // namespace laptime
