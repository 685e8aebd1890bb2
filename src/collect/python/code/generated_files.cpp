#include "collect/python/code/generated_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace laptime::python {

namespace {

// Folders of torch.compile and Triton where no variable names another place.
constexpr std::array<std::string_view, 2> kCacheFolders = {"/torchinductor_", "/.triton/"};
constexpr std::array<const char*, 2> kCacheVariables = {"TORCHINDUCTOR_CACHE_DIR",
                                                        "TRITON_CACHE_DIR"};
constexpr std::string_view kAutograph =
    "/__autograph_generated_file";  // TensorFlow's, in the folder for temporary files
// Jinja and Mako give the code of a template the template's own name.
constexpr std::array<std::string_view, 9> kTemplates = {
    ".html", ".htm", ".xml", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".mako"};

bool lies_in_folder(const std::string& file, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return !folder.empty() && file.starts_with(folder) && file.size() > folder.size() &&
         file[folder.size()] == '/';
}

}  // namespace

bool is_generated_file(const std::string& file) {
  if (file.find(kAutograph) != std::string::npos) return true;
  if (std::ranges::any_of(kCacheFolders, [&](std::string_view part) {
        return file.find(part) != std::string::npos;
      }))
    return true;
  if (std::ranges::any_of(kTemplates,
                          [&](std::string_view extension) { return file.ends_with(extension); }))
    return true;
  return std::ranges::any_of(kCacheVariables, [&](const char* name) {
    const char* const folder = std::getenv(name);
    return folder != nullptr && lies_in_folder(file, folder);
  });
}

}  // namespace laptime::python
