// What is known about a profile session when it ends, besides its records. Plain data: the reading
// module takes it as it is and needs nothing else of the collector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collect/torch/op_details.h"
#include "format/record.h"

namespace laptime::torch {

// An op of the thread that ended the session, which had not ended by then.
struct UnendedOp {
  std::string name;
  std::int64_t start_ns;  // since the session's begin
  SpanKind kind;
};

struct SessionNotes {
  OpDetails details;
  std::vector<UnendedOp> unended;  // the outermost first
};

}  // namespace laptime::torch
