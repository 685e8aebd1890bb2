// Facts that each recording process reports once: command line, host, laptime's version.
#pragma once

#include <vector>

#include "format/facts.h"

namespace laptime::record {

// The list and the texts that it views are made in the first call and stay for ever.
const std::vector<PropertyFact>& host_facts();

}  // namespace laptime::record
