// Finds liblaptime_cuda.so beside this command: in the build, in an install prefix, or in the
// Python package.
#pragma once

#include <string>

namespace laptime {

// Empty if it is not installed.
std::string find_gpu_library();
// The remedy if there is a GPU but no library.
constexpr const char* kNoGpuLibrary =
    "liblaptime_cuda.so does not lie where laptime was installed; install laptime again";
// Whether an NVIDIA driver is loaded.
bool has_gpu();

}  // namespace laptime
