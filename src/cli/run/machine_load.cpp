#include "cli/run/machine_load.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/os/file.h"

namespace laptime {

namespace {

constexpr std::size_t kMostText = 1 << 16;  // processors come first in the file
constexpr std::size_t kFields = 8;          // user nice system idle iowait irq softirq steal
constexpr std::size_t kIdle = 3, kIoWait = 4;

std::string read_statistics() {
  std::string text(kMostText, '\0');
  const UniqueFd fd(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
  std::size_t size = 0;
  while (fd && size < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + size, text.size() - size);
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  text.resize(size);
  return text;
}

// Removes and returns the number at the beginning.
std::optional<std::int64_t> take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// In ticks. `line`: the text after "cpu".
std::int64_t busy_ticks(std::string_view line) {
  std::int64_t busy = 0;
  for (std::size_t field = 0; field < kFields; ++field) {
    const auto ticks = take_number(line);
    if (!ticks) break;
    if (field != kIdle && field != kIoWait) busy += *ticks;
  }
  return busy;
}

}  // namespace

std::optional<MachineLoad> read_machine_load() {
  cpu_set_t usable;
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  if (ticks_per_s <= 0 || ::sched_getaffinity(0, sizeof usable, &usable) != 0) return std::nullopt;
  MachineLoad load{0, 0};
  const std::string text = read_statistics();
  for (std::string_view rest = text; rest.starts_with("cpu");) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(3, end - 3);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with(' ')) continue;  // the sum over all processors
    const auto number = take_number(line);
    if (!number || *number >= CPU_SETSIZE || !CPU_ISSET(static_cast<std::size_t>(*number), &usable))
      continue;
    ++load.cpus;
    load.busy_ns += busy_ticks(line) * (1'000'000'000 / ticks_per_s);
  }
  return load.cpus > 0 ? std::optional(load) : std::nullopt;
}

std::optional<MachineLoad> load_since(const std::optional<MachineLoad>& before) {
  const auto now = read_machine_load();
  if (!before || !now || now->cpus != before->cpus) return std::nullopt;
  return MachineLoad{now->cpus, std::max<std::int64_t>(0, now->busy_ns - before->busy_ns)};
}

}  // namespace laptime
