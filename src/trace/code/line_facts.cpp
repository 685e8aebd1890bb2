#include "trace/code/line_facts.h"

#include "format/names.h"

namespace laptime {

bool leaves_source_out(const Process& process) {
  return property_text(process.properties, property::kSourceText) == property::kLeftOut;
}
bool knows_line_self_times(const Process& process) {
  return property_text(process.properties, property::kLineSelfTime) != property::kUnknown;
}

}  // namespace laptime
