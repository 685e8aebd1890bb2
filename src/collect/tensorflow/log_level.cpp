#include "collect/tensorflow/log_level.h"

#include <dlfcn.h>

#include <string>

namespace laptime::tensorflow {

namespace {

struct LogLevel {
  using Get = int (*)();
  using Set = void (*)(int);
  Get get = nullptr;
  Set set = nullptr;

  bool is_known() const { return get != nullptr && set != nullptr; }
};

// The releases of Abseil, whose names contain their date.
constexpr const char* kReleases[] = {"20260526", "20260107", "20250814", "20250512", "20250127",
                                     "20240722", "20240116", "20230802", "20230125"};

template <typename Function>
Function find(void* library, const std::string& name) {
  return reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

LogLevel find_log_level() {
  for (const char* file : {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2"}) {
    void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    for (const char* release : kReleases) {
      const std::string space = std::string("_ZN4absl12lts_") + release;
      const LogLevel found{
          find<LogLevel::Get>(library, space + "11MinLogLevelEv"),
          find<LogLevel::Set>(
              library, space + "12log_internal17RawSetMinLogLevelENS0_18LogSeverityAtLeastE")};
      if (found.is_known()) return found;
    }
  }
  return {};
}

}  // namespace

int set_log_level(int level) {
  static const LogLevel log = find_log_level();
  if (!log.is_known()) return -1;
  const int before = log.get();
  log.set(level);
  return before;
}

}  // namespace laptime::tensorflow
