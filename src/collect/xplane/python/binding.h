// Python's interface to the writer of profiles: laptime._native.xplane.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime {

void bind_xplane(nanobind::module_& module);

}  // namespace laptime
