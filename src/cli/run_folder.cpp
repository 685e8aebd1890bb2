#include "cli/run_folder.h"

#include <cerrno>
#include <climits>
#include <filesystem>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "format/reader.h"
#include "format/seal.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

bool is_part(const fs::directory_entry& entry) { return entry.path().extension() == ".part"; }

Status empty_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!is_part(entry)) return fail(ErrorKind::usage, folder.string() + " is not a run's folder: give another name with -o");
    parts.push_back(entry.path());
  }
  for (const fs::path& part : parts)
    if (!fs::remove(part, error)) return fail(ErrorKind::usage, "cannot replace the run in " + folder.string() + ": " + error.message());
  return {};
}

bool has_parts(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_part(entry)) return true;
  return false;
}

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
std::vector<std::pair<std::string, std::string>> outside_facts(const std::vector<std::string>& command, const ChildEnd& end) {
  std::error_code ignored;
  std::vector<std::pair<std::string, std::string>> facts{
      {"command", join(command)},
      {"directory", fs::current_path(ignored).string()},
      {"host", host_name()},
      {"laptime_version", LAPTIME_VERSION},
      {"wall_ns", std::to_string(end.wall_ns)},
      {"cpu_user_ns", std::to_string(end.cpu_user_ns)},
      {"cpu_system_ns", std::to_string(end.cpu_system_ns)},
      {"max_rss_bytes", std::to_string(end.max_rss_bytes)},
  };
  if (end.signal != 0)
    facts.emplace_back("exit_signal", std::to_string(end.signal));
  else
    facts.emplace_back("exit_code", std::to_string(end.exit_code));
  return facts;
}

}  // namespace

ClockFact clock_now() {
  const auto ns = static_cast<std::int64_t>(monotonic_ns());
  return {ns, ns, static_cast<std::int64_t>(realtime_ns())};
}

Result<RunFolder> RunFolder::prepare(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) return fail(ErrorKind::usage, file + " is a folder: give a file name with -o");
  const fs::path folder = fs::absolute(file + ".d", error);
  fs::create_directory(folder, error);
  if (error) return write_error("cannot record to " + file, error.value());
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return write_error("cannot record to " + file, errno);
  RETURN_IF_ERROR(empty_folder(folder));
  return RunFolder(file, folder.string());
}

Status RunFolder::seal(const std::vector<std::string>& command, const ChildEnd& end, std::vector<Fact> clock) {
  RunContent run;
  if (has_parts(folder_)) {
    ASSIGN_OR_RETURN(run, open_run(folder_));
  }
  const auto facts = outside_facts(command, end);
  PartContent outside;
  outside.facts = std::move(clock);
  for (const auto& [key, value] : facts) outside.facts.push_back(PropertyFact{key, value});
  run.parts.push_back(std::move(outside));
  ASSIGN_OR_RETURN(FileSink sink, FileSink::create(file_));
  RETURN_IF_ERROR(laptime::seal(run, sink));
  RETURN_IF_ERROR(sink.commit());
  remove();
  return {};
}

void RunFolder::remove() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace laptime
