// The changes that following a piece of advice comes to, where the advice itself does not say
// (Finding::changes).
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "replay/changes.h"

namespace laptime::whatif {

// An error names the rules that have changes.
Result<Changes> changes_of_rule(std::string_view rule);
std::vector<std::string_view> rules_with_changes();

}  // namespace laptime::whatif
