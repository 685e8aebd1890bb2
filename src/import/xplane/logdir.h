// A TensorBoard logdir as the profiles in it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace laptime {

// Each folder of `paths` is replaced by the files below it that are called *.xplane.pb, in the
// order of their names: plugins/profile/SESSION/HOST.xplane.pb. Other paths stay. Links to folders
// are not followed. An error names the folder.
Result<std::vector<std::string>> expand_logdirs(const std::vector<std::string>& paths);

}  // namespace laptime
