#include "import/xplane/logdir.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace laptime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProfileEnd = ".xplane.pb";

Result<std::vector<std::string>> profiles_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (it->path().native().ends_with(kProfileEnd) && !it->is_directory(error))
      found.push_back(it->path().native());
  if (error) return fail(ErrorKind::bad_file, "cannot read " + folder + ": " + error.message());
  if (found.empty())
    return fail(ErrorKind::bad_file, folder +
                                         " holds no profile: laptime looks for "
                                         "plugins/profile/SESSION/HOST.xplane.pb below it");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<std::vector<std::string>> expand_logdirs(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> found, profiles_below(path));
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace laptime
