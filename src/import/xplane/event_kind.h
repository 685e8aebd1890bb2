// What an event of a host plane is, by its names. A plane has few names and many events, so these
// rules run once for each name.
#pragma once

#include <string_view>

#include "format/record.h"

namespace laptime {

struct EventKind {
  SpanKind kind = SpanKind::scope;
  std::string_view name;     // what the span is called; part of the event's name, or static
  std::string_view op = {};  // TensorFlow's full name of the op: "sequential/dense/MatMul"
  bool is_twofold = false;   // JAX notes each call twice, one within the other
  enum class Left : std::uint8_t { no, pool, memory } left = Left::no;  // left out, and counted as
};
EventKind event_kind(std::string_view name, std::string_view display_name);

// The phase of a step by the name of its marker: "train" where the name does not say.
std::string_view phase_of_marker(std::string_view name);

}  // namespace laptime
