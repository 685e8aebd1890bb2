#include "collect/python/notices.h"

#include <algorithm>

namespace laptime::python {

namespace {
std::vector<Notice>& list() {
  static auto* notices = new std::vector<Notice>;
  return *notices;
}
}  // namespace

void add_notice(const std::string& name, const std::string& message) {
  auto& all = list();
  if (std::none_of(all.begin(), all.end(), [&](const Notice& n) { return n.name == name; }))
    all.push_back({name, message});
}

const std::vector<Notice>& notices() { return list(); }
void clear_notices() { list().clear(); }

}  // namespace laptime::python
