#include "cli/named_run.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "base/os/memory_limit.h"
#include "cli/command.h"
#include "cli/standard_streams.h"
#include "format/part_folder.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

void mention_unsealed(const std::string& file) {
  std::error_code ignored;
  const std::string folder = file + ".d";
  if (!fs::is_regular_file(file, ignored) || !fs::is_directory(folder, ignored)) return;
  const auto unsealed = PartFolder::open(folder);
  if (!unsealed) return;
  const std::vector<FoundPart> parts = unsealed->parts();
  if (parts.empty()) return;
  const bool is_live = std::ranges::any_of(parts, &FoundPart::is_live);
  print_note(fmt::format(
      "laptime: {} {}: laptime report {}", folder,
      is_live ? "holds a run that is being recorded" : "holds records that were never sealed",
      folder));
}

}  // namespace

Result<Run> load_named_run(const std::string& path) {
  hold_memory_to_limit();
  mention_unsealed(path);
  return load_run(path);
}

}  // namespace laptime
