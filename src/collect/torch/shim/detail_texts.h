// An op's inputs and keywords as members of a JSON object, in the format of torch's own profiler.
#pragma once

#include <ATen/record_function.h>

#include <string>

namespace laptime_shim {

// Adds nothing if the op has none. Contract: may throw.
void add_inputs(const at::RecordFunction& function, bool values, std::string& text);
void add_keywords(const at::RecordFunction& function, std::string& text);

// `text` as a member's value. Torch cannot write a quotation mark inside of a string; such a string
// becomes "None".
std::string quoted(const std::string& text);
void add_member(const std::string& key, const std::string& value, std::string& text);

}  // namespace laptime_shim
