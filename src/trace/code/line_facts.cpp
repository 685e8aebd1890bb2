#include "trace/code/line_facts.h"

namespace laptime {

namespace {

std::string_view property(const Properties& properties, const char* key) {
  const auto it = properties.find(key);
  return it == properties.end() ? std::string_view() : std::string_view(it->second);
}

}  // namespace

bool leaves_source_out(const Process& process) {
  return property(process.properties, "source_text") == "left out";
}
bool knows_line_self_times(const Process& process) {
  return property(process.properties, "line_self_time") != "unknown";
}

}  // namespace laptime
