#include "cli/run/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/output_path.h"
#include "base/os/process.h"
#include "cli/standard_streams.h"
#include "format/names.h"
#include "format/reader.h"
#include "format/seal.h"
#include "trace/run/properties.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNothingRecorded =
    "the program's process recorded nothing: it ended before it could, or its folder was removed";

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// What `laptime run` saw from outside, as the run's own facts.
std::vector<std::pair<std::string_view, Property>> outside_facts(
    const std::vector<std::string>& command, const ChildEnd& end,
    const std::optional<MachineLoad>& machine) {
  std::error_code ignored;
  const auto integer = [](auto number) { return static_cast<std::int64_t>(number); };
  std::vector<std::pair<std::string_view, Property>> facts{
      {property::kCommand, join(command)},
      {property::kDirectory, fs::current_path(ignored).string()},
      {property::kHost, host_name()},
      {property::kLaptimeVersion, LAPTIME_VERSION},
      {property::kWallNs, integer(end.wall_ns)},
      {property::kCpuUserNs, integer(end.cpu_user_ns)},
      {property::kCpuSystemNs, integer(end.cpu_system_ns)},
      {property::kMaxRssBytes, integer(end.max_rss_bytes)},
  };
  if (machine) {
    facts.emplace_back(property::kMachineBusyNs, integer(machine->busy_ns));
    facts.emplace_back(property::kCpus, integer(machine->cpus));
  }
  if (end.signal != 0)
    facts.emplace_back(property::kExitSignal, integer(end.signal));
  else
    facts.emplace_back(property::kExitCode, integer(end.exit_code));
  return facts;
}

}  // namespace

ClockFact clock_now() {
  const auto ns = static_cast<std::int64_t>(monotonic_ns());
  return {ns, ns, static_cast<std::int64_t>(realtime_ns())};
}

namespace {

bool any_live(const std::vector<FoundPart>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [](const FoundPart& part) { return part.is_live; });
}

// A target that is written through, not replaced, has no folder beside it.
Result<std::string> temporary_folder() {
  std::error_code ignored;
  std::string pattern = (fs::temp_directory_path(ignored) / "laptime-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return write_error("cannot record in " + pattern, errno);
  return pattern;
}

}  // namespace

Result<RunFolder> RunFolder::prepare(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    return fail(ErrorKind::usage, file + " is a folder: give a file name with -o");
  if (!resolve_output(file).is_replaceable) {
    ASSIGN_OR_RETURN(const std::string path, temporary_folder());
    ASSIGN_OR_RETURN(PartFolder folder, PartFolder::open(path));
    return RunFolder(file, std::move(folder));
  }
  ASSIGN_OR_RETURN(auto folder, take(file));
  if (folder) return RunFolder(file, std::move(*folder));
  constexpr int kMostTries = 1000;  // others may take the same free name meanwhile
  for (int i = 0; i < kMostTries; ++i) {
    const std::string name = free_run_name(file);
    ASSIGN_OR_RETURN(auto other, take(name));
    if (!other) continue;
    print_note(fmt::format("laptime: another run records to {}; this one is {}", file, name));
    return RunFolder(name, std::move(*other));
  }
  return fail(ErrorKind::system,
              "cannot find a free name for " + file + ": give another one with -o");
}

// Nothing if another run records under this name.
Result<std::optional<PartFolder>> RunFolder::take(const std::string& file) {
  std::error_code error;
  const std::string path = fs::absolute(file + ".d", error);
  constexpr int kMostTries = 3;  // a run that ends meanwhile removes the folder
  for (int i = 0; i < kMostTries; ++i) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
      return write_error("cannot record to " + file, errno);
    auto folder = PartFolder::open(path);
    if (!folder)
      return fail(folder.error().kind, "cannot record to " + file + ": " + folder.error().message);
    if (::access(path.c_str(), W_OK | X_OK) != 0)
      return write_error("cannot record to " + file, errno);
    const bool mine = folder->lock();
    const std::vector<FoundPart> parts = folder->parts();
    if (any_live(parts)) return std::nullopt;
    if (!mine) {
      if (fs::exists(path, error)) return std::nullopt;
      continue;
    }
    if (parts.empty()) {
      folder->remove_shared();  // of a run that was killed before its processes had parts
      return std::optional(std::move(*folder));
    }
    ASSIGN_OR_RETURN(const std::string kept, keep_unsealed(file));
    print_note(fmt::format("laptime: {}", kept_line(file, kept)));
  }
  return std::nullopt;
}

namespace {

// Processes that still run and have loaded the recorder. A forked child begins its part with its
// first record, which for Python's counts is at its end.
std::vector<std::uint32_t> joined_processes(const PartFolder& folder) {
  std::vector<std::uint32_t> found;
  for (const char* const library : {"/liblaptime", "/laptime/_native."})
    for (const std::uint32_t pid : processes_with("LAPTIME_RECORD=" + folder.path(), library))
      if (std::ranges::count(found, pid) == 0) found.push_back(pid);
  return found;
}

// Loader workers of a killed program end shortly after it.
std::vector<std::uint32_t> await_offspring(const PartFolder& folder) {
  constexpr int kMostLooks = 6;
  constexpr useconds_t kBetween = 50'000;
  std::vector<std::uint32_t> joined = joined_processes(folder);
  for (int i = 0; i < kMostLooks && (!joined.empty() || any_live(folder.parts())); ++i) {
    ::usleep(kBetween);
    joined = joined_processes(folder);
  }
  return joined;
}

// Views `facts`.
PartContent part_of(std::vector<Fact> clock,
                    const std::vector<std::pair<std::string_view, Property>>& facts) {
  PartContent part;
  part.facts = std::move(clock);
  for (const auto& [key, value] : facts)
    part.facts.push_back(
        PropertyFact{key, std::visit([](const auto& v) -> PropertyValue { return v; }, value)});
  return part;
}

}  // namespace

Status RunFolder::seal(const Outcome& outcome, std::vector<Fact> clock) {
  const std::vector<std::uint32_t> joined = await_offspring(folder_);
  const auto facts = outside_facts(outcome.command, outcome.end, outcome.machine);
  const bool nothing =
      !folder_.is_there() || (outcome.should_have_recorded && folder_.parts().empty());
  PartContent outside = part_of(std::move(clock), facts);
  if (nothing)
    outside.facts.push_back(
        WarningFact{0, Severity::error, 1, "nothing_recorded", kNothingRecorded});
  ASSIGN_OR_RETURN(
      const std::vector<FoundPart> left,
      seal_folder(folder_, file_, std::move(outside), LiveParts::keep, outcome.mode, joined));
  if (nothing) print_note(fmt::format("laptime: {}", kNothingRecorded));
  if (!left.empty()) print_note(fmt::format("laptime: {}", left_line(left, file_ + ".d")));
  return {};
}

void RunFolder::remove() { folder_.remove_if_empty(); }

}  // namespace laptime
