// What is said once about the process that records: command line, host, laptime's version.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace laptime::record {

// Views of the result go into facts: keep it as long as them. The list is cached after the first
// call.
const std::vector<std::pair<std::string, std::string>>& host_facts();

}  // namespace laptime::record
