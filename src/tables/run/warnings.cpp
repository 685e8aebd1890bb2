#include "tables/run/warnings.h"

#include <algorithm>

#include "format/names.h"
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
  return "error";  // from a later version, so treated as the gravest
}

// A process that only starts others has no steps, and warns of that. If another process of the run
// has steps, the warning is removed, or reduced to what was not recorded.
void reword_missing_steps(std::vector<WarningCount>& warnings) {
  constexpr std::string_view kNoSteps = "no steps found";
  std::erase_if(warnings, [](const WarningCount& warning) {
    return warning.name == warning_name::kTorchNoSteps;
  });
  for (WarningCount& warning : warnings)
    if (warning.name == warning_name::kTorchIntervals && warning.message.starts_with(kNoSteps)) {
      warning.message.resize(
          std::min(warning.message.size(),
                   warning.message.find("; use ")));  // the remedy does not apply to a launcher
      warning.message.replace(
          0, kNoSteps.size(),
          warning.count == 1 ? "a process without steps" : "processes without steps");
    }
}

// The recording's warnings, and those that depend on all its records.
std::vector<WarningCount> all_warnings(const Analysis& analysis) {
  std::vector<WarningCount> warnings = analysis.run().warnings;
  if (!analysis.steps().empty()) reword_missing_steps(warnings);
  if (const std::uint64_t count = analysis.gpu().before_launch(); count > 0)
    warnings.push_back(
        {"gpu_before_launch", Severity::warning, count,
         "GPU work that begins before the call that launched it has no line of that call"});
  return warnings;
}

constexpr ColumnOf<WarningCount> kWarningColumns[] = {
    {"name", "The kind, as scripts know it.", [](auto& r) { return std::string_view(r.name); }},
    {"severity", "`info`, `warning` or `error`.",
     [](auto& r) { return severity_name(r.severity); }},
    {"count", Unit::count, "How often it occurred.", [](auto& r) { return r.count; }},
    {"message", "What it means, and what to do.",
     [](auto& r) { return std::string_view(r.message); }}};
constexpr TableOf<WarningCount> kWarnings{"warnings", kWarningColumns};

}  // namespace

Table warnings_table(const Analysis& analysis) {
  std::vector<WarningCount> warnings = all_warnings(analysis);
  std::sort(warnings.begin(), warnings.end(), [](const WarningCount& a, const WarningCount& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.name < b.name;
  });
  return kWarnings.build("Warnings", warnings);
}

constinit const TableDefinition kWarningsTable =
    define_table<kWarnings>("what was dropped, cut or estimated",
                            R"(
The gravest come first. `gpu_before_launch` counts kernels and copies that begin before the call
that launched them. They keep their time and have no line.)",
                            warnings_table);

}  // namespace laptime
