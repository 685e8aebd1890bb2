// Decodes blocks without spans: values and tallies go to their tracks, links to the run. Contract,
// as for SpanLoader: a block that does not decode leaves no rows and is counted.
#pragma once

#include <cstdint>

#include "trace/run/clock_map.h"
#include "trace/run/part_facts.h"
#include "trace/run/run.h"

namespace laptime {

struct RowsOutcome {
  bool good = true;
  std::int64_t last_ns = INT64_MIN;
};

RowsOutcome load_values(const Block& block, const PartFacts& facts, const ClockMap& clock,
                        ValueColumns& append_to);
RowsOutcome load_tallies(const Block& block, const PartFacts& facts, TallyColumns& append_to);

}  // namespace laptime
