// Table `package_lines`: the lines of installed packages that a step's ops come from, below the
// program's lines.
//
// A package is what pip installed, except torch. Backward work has the line of its forward op.
// Times are per mean step, on any thread of the process.
// called are in no row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

struct PackageLine {
  std::uint32_t phase = 0;  // Run::strings
  std::string file, function;
  std::uint32_t line = 0;
  std::string user_file;  // the program's line that called it
  std::uint32_t user_line = 0;
  std::string module;                 // the innermost that all calls share; empty: none
  double op_ns = 0, backward_ns = 0;  // per step
  std::optional<double> gpu_ns;       // per step; nothing: no GPU was recorded
  double share = 0;                   // op_ns and backward_ns, as a share of a step

  double most_ns() const {
    return op_ns + backward_ns > gpu_ns.value_or(0) ? op_ns + backward_ns : *gpu_ns;
  }
};

// By falling time of phases, then of lines.
std::vector<PackageLine> package_lines(const Analysis& analysis);

Table package_lines_table(const Analysis& analysis);
extern const TableDefinition kPackageLinesTable;

}  // namespace laptime
