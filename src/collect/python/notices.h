// What is not measured, and why: one line each, reported once. The Python side prints them or turns
// them into warnings.
#pragma once

#include <string>
#include <vector>

namespace laptime::python {

void add_notice(const std::string& name, const std::string& message);
struct Notice {
  std::string name, message;
};
const std::vector<Notice>& notices();
void clear_notices();

}  // namespace laptime::python
