// The tables that the command line accepts: those of the analyses, and the advice.
#pragma once

#include "tables/run/tables.h"

namespace laptime {

TableList report_tables();

}  // namespace laptime
