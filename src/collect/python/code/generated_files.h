// Files whose code a framework wrote, not the program's author: compilers' caches, templates.
#pragma once

#include <string>

namespace laptime::python {

// For files that exist; names like <string> are decided by UserCode. Reads the environment
// variables of the caches.
bool is_generated_file(const std::string& file);

}  // namespace laptime::python
