// The machine a benchmark ran on, in one line.
#pragma once

#include <sys/utsname.h>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>

namespace bench {

inline std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

inline std::string machine_description() {
  utsname system{};
  uname(&system);
  return fmt::format("{}, {} cores, {} {}, g++ {}", cpu_model(),
                     std::thread::hardware_concurrency(), system.sysname, system.release,
                     __VERSION__);
}

}  // namespace bench
