// The tables that can be asked for on the command line: those of the analyses, and the advice that
// follows from them.
#pragma once

#include <span>

#include "tables/run/tables.h"

namespace laptime {

std::span<const TableDefinition> report_tables();

}  // namespace laptime
