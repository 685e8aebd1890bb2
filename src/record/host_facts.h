// Facts that each recording process reports once: command line, host, laptime's version.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace laptime::record {

// Facts are views of the result, so keep it as long as them. The list is cached after the first
// call.
const std::vector<std::pair<std::string, std::string>>& host_facts();

}  // namespace laptime::record
