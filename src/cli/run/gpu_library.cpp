#include "cli/run/gpu_library.h"

#include <filesystem>

namespace laptime {

namespace fs = std::filesystem;

std::string find_gpu_library() {
  constexpr const char* kName = "liblaptime_cuda.so";
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const fs::path prefix = command.parent_path().parent_path();
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "laptime", "collect/cuda"})
    if (fs::exists(prefix / folder / kName, error)) return prefix / folder / kName;
  for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", error)) {
    const fs::path library = entry.path() / "site-packages" / "laptime" / kName;
    if (entry.path().filename().string().starts_with("python") && fs::exists(library, error))
      return library;
  }
  return "";
}

bool has_gpu() {
  std::error_code ignored;
  return fs::exists("/dev/nvidiactl", ignored);
}

}  // namespace laptime
