// Where liblaptime_cuda.so lies beside this command: in the build, in an install prefix, or in the Python package.
#pragma once

#include <string>

namespace laptime {

// Empty when it was not installed.
std::string find_gpu_library();

}  // namespace laptime
