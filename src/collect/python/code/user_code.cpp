#include "collect/python/code/user_code.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "collect/python/code/command_code.h"
#include "collect/python/interpreter/python_text.h"

namespace laptime::python {

namespace {

bool matches_any(const std::vector<std::string>& globs, const std::string& file) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), file.c_str(), 0) == 0;
  });
}

// Code without a file is the user's if a person typed it. If a library generated it (<string>,
// <frozen …>), it is not.
bool was_typed(const std::string& file) {
  return file == "<stdin>" || file.starts_with("<ipython-input") || file.starts_with("<doctest");
}

// Folders of torch.compile and Triton if no variable names another one.
constexpr std::array<std::string_view, 2> kCacheFolders = {"/torchinductor_", "/.triton/"};
constexpr std::array<const char*, 2> kCacheVariables = {"TORCHINDUCTOR_CACHE_DIR",
                                                        "TRITON_CACHE_DIR"};
constexpr std::string_view kAutograph =
    "/__autograph_generated_file";  // TensorFlow's, in the folder for temporary files
// Jinja and Mako give a template's code the template's own name.
constexpr std::array<std::string_view, 9> kTemplates = {
    ".html", ".htm", ".xml", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".mako"};

bool lies_in_folder(const std::string& file, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return !folder.empty() && file.starts_with(folder) && file.size() > folder.size() &&
         file[folder.size()] == '/';
}

// Whether a framework wrote the code of the file: a compiler's cache, a template. Only for files
// that exist; UserCode decides names like <string>. Reads the environment variables of the caches.
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

}  // namespace

bool lies_in_package_folder(const std::string& file) {
  return file.find("/site-packages/") != std::string::npos ||
         file.find("/dist-packages/") != std::string::npos;
}

void UserCode::configure(Rules rules, PyObject* predicate) {
  rules_ = std::move(rules);
  Py_XINCREF(predicate);
  predicate_ = OwnedRef(predicate);
  decided_.clear();
}

bool UserCode::is_user(const std::string& file) {
  if (const auto known = decided_.find(file); known != decided_.end()) return known->second;
  const bool verdict = decide(file);
  decided_[file] = verdict;
  return verdict;
}

bool UserCode::is_user(const PyCodeObject* code, const std::string& file) {
  if (is_user(file)) return true;
  const bool decided_by_rule = predicate_ || matches_any(rules_.exclude, file);
  return file == kCommandFile && !decided_by_rule && is_command_code(code);
}

bool UserCode::decide(const std::string& file) const {
  if (predicate_) {
    OwnedRef answer(PyObject_CallFunction(predicate_.get(), "N", text_from(file)));
    const int truth = answer ? PyObject_IsTrue(answer.get()) : 0;
    PyErr_Clear();
    return truth > 0;
  }
  if (matches_any(rules_.exclude, file)) return false;
  if (matches_any(rules_.include, file)) return true;
  if (file.empty() || file.front() == '<') return was_typed(file);
  if (lies_in_package_folder(file) || is_generated_file(file)) return false;
  return std::none_of(rules_.library_paths.begin(), rules_.library_paths.end(),
                      [&](const std::string& folder) { return file.starts_with(folder); });
}

}  // namespace laptime::python
