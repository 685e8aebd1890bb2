#include "record/host_facts.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <optional>
#include <string>

#include "base/os/file.h"
#include "format/names.h"
#include "laptime/laptime.h"

namespace laptime::record {

namespace {

std::string command_line() {
  // /proc files have no size. A longer command line is cut.
  std::string text(4096, '\0');
  const UniqueFd fd(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  const ssize_t n = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string working_directory() {
  char path[PATH_MAX] = {};
  return ::getcwd(path, sizeof path) ? path : "";
}

// Processors that this process may use.
std::optional<int> processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::optional(CPU_COUNT(&set))
                                                       : std::nullopt;
}

std::vector<PropertyFact>* make_facts() {
  static const auto* const command = new std::string(command_line());
  static const auto* const host = new std::string(host_name());
  static const auto* const directory = new std::string(working_directory());
  auto* const facts = new std::vector<PropertyFact>{{property::kCommand, *command},
                                                    {property::kHost, *host},
                                                    {property::kDirectory, *directory},
                                                    {property::kLaptimeVersion, laptime_version()}};
  if (const auto cpus = processors()) facts->push_back({property::kCpus, *cpus});
  return facts;
}

}  // namespace

const std::vector<PropertyFact>& host_facts() {
  static const auto* const facts = make_facts();
  return *facts;
}

}  // namespace laptime::record
