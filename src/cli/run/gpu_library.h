// Where liblaptime_cuda.so lies beside this command: in the build, in an install prefix, or in the
// Python package.
#pragma once

#include <string>

namespace laptime {

// Empty when it was not installed.
std::string find_gpu_library();
// What to do where there is a GPU and the library is not found.
constexpr const char* kNoGpuLibrary =
    "liblaptime_cuda.so does not lie where laptime was installed; install laptime again";
// Whether an NVIDIA driver is loaded.
bool has_gpu();

}  // namespace laptime
