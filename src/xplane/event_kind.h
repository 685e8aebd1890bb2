// What an event of a host plane is, by its names. A plane has few names and many events, so these
// rules run once for each name.
#pragma once

#include <string_view>

#include "format/record.h"

namespace laptime {

struct EventKind {
  SpanKind kind = SpanKind::scope;
  std::string_view name;         // what the span is called; part of the event's name, or static
  std::string_view detail = {};  // the long name: of an op "sequential/dense/MatMul", of a stage
                                 // "Iterator::Root::Prefetch"
  bool is_twofold = false;       // noted twice, one within the other
  bool is_runtime = false;       // a scope of the framework's runtime
  bool is_pool_note = false;     // a note of a thread pool, without a length
};
EventKind event_kind(std::string_view name, std::string_view display_name);

// The traced function that an event is a call of: "__inference_step_12". Empty for other events.
std::string_view called_function(std::string_view name);

// The phase of a step by the name of its marker: "train" where the name does not say.
std::string_view phase_of_marker(std::string_view name);

}  // namespace laptime
