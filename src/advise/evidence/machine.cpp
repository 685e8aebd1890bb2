#include "advise/evidence/machine.h"

#include <fmt/format.h>
#include <algorithm>

#include "format/names.h"
#include "trace/run/properties.h"

namespace laptime {

namespace {

// Threads for each processor. With fewer, two threads met by chance.
constexpr double kTooMany = 1.25;
constexpr double kOthersMatter = 0.15;  // of the processors …
constexpr double kNearlyAll = 0.7;      // … if this much of them is used in total

}  // namespace

bool Machine::too_many() const { return cpus > 0 && running && *running >= kTooMany * cpus; }

bool Machine::others_matter() const {
  return cpus > 0 && others && *others >= kOthersMatter * cpus &&
         *others + used.value_or(0) >= kNearlyAll * cpus;
}

std::string Machine::sentence() const {
  const std::string cpus_text = fmt::format("{:.0f} CPU{}", cpus, cpus == 1 ? "" : "s");
  if (too_many())
    return fmt::format(
        "machine busy: {:.1f} threads for {}{}", *running, cpus_text,
        others_matter() ? fmt::format(", of which others used {:.1f}", *others) : "");
  return others_matter() ? fmt::format("machine busy: others used {:.1f} of {}", *others, cpus_text)
                         : "";
}

Machine find_machine(const Run& run, const Process& process) {
  Machine machine;
  const auto whole = [&](std::string_view key) {
    return property_number<double>(run.properties, key);
  };
  machine.cpus =
      whole(property::kCpus)
          .value_or(property_number<double>(process.properties, property::kCpus).value_or(0));
  machine.running = property_number<double>(process.properties, property::kTorchRunning);
  const auto wall = whole(property::kWallNs), busy = whole(property::kMachineBusyNs),
             user = whole(property::kCpuUserNs), system = whole(property::kCpuSystemNs);
  if (!wall || !busy || !user || !system || *wall <= 0) return machine;
  machine.used = (*user + *system) / *wall;
  machine.others = std::max(0.0, *busy / *wall - *machine.used);
  return machine;
}

}  // namespace laptime
