// The tables that can be asked for on the command line: those of the analyses, and the advice that
// follows from them.
#pragma once

#include "tables/run/tables.h"

namespace laptime {

TableList report_tables();

}  // namespace laptime
