// Table `package_lines`: which lines of installed packages the ops of a step come from, below which
// line of the program.
//
// A package is what pip installed, other than torch. The line is the innermost one of a package
// that ran when an op was called or GPU work was launched; backward work has the line of its
// forward op. op_ns and backward_ns are the ops' own times a mean step, forward (with the
// optimizer) and backward, on any thread of the process; they are scaled from recorded steps as the
// breakdown is. gpu_ns is a step in which a GPU was recorded. share is op_ns and backward_ns of a
// mean step. module: the innermost nn.Module that all calls are in. Ops that the program's own code
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
  std::string user_file;  // the program's own line that it ran below
  std::uint32_t user_line = 0;
  std::string module;                 // empty: in none
  double op_ns = 0, backward_ns = 0;  // a step
  std::optional<double> gpu_ns;       // a step; nothing: no GPU was recorded
  double share = 0;                   // op_ns and backward_ns, of a step

  double most_ns() const {
    return op_ns + backward_ns > gpu_ns.value_or(0) ? op_ns + backward_ns : *gpu_ns;
  }
};

// The phase with most time first, in it those that take longest first.
std::vector<PackageLine> package_lines(const Analysis& analysis);

Table package_lines_table(const Analysis& analysis);
extern const TableDefinition kPackageLinesTable;

}  // namespace laptime
