#include "trace/run/row_load.h"

#include <algorithm>

namespace laptime {

namespace {

template <typename... Columns>
void cut(std::size_t rows, Columns&... columns) {
  (columns.resize(std::min(rows, columns.size())), ...);
}
void cut(std::size_t rows, ValueColumns& c) { cut(rows, c.time, c.name, c.value); }
void cut(std::size_t rows, TallyColumns& c) {
  cut(rows, c.kind, c.step, c.code, c.where, c.hits, c.inclusive, c.exclusive, c.extra_hits,
      c.extra_ns);
}

template <typename Columns>
void settle_times(Columns& columns, std::size_t from, const ClockMap& map, RowsOutcome& outcome) {
  ClockMap::Cursor clock(map);
  for (std::size_t i = from; i < columns.size(); ++i) {
    if (!is_plausible_time(columns.time[i])) {
      outcome.good = false;
      return;
    }
    columns.time[i] = clock(columns.time[i]);
    outcome.last_ns = std::max(outcome.last_ns, columns.time[i]);
  }
}

}  // namespace

RowsOutcome load_values(const Block& block, const PartFacts& facts, const ClockMap& clock,
                        ValueColumns& out) {
  const std::size_t before = out.size();
  RowsOutcome outcome{decode_block(block, out)};
  if (outcome.good) settle_times(out, before, clock, outcome);
  if (!outcome.good) cut(before, out);
  for (std::size_t i = before; i < out.size(); ++i) out.name[i] = facts.names[out.name[i]];
  return outcome;
}

RowsOutcome load_tallies(const Block& block, const PartFacts& facts, TallyColumns& out) {
  const std::size_t before = out.kind.size();
  RowsOutcome outcome{decode_block(block, out)};
  if (!outcome.good) cut(before, out);
  for (std::size_t i = before; i < out.size(); ++i) {
    out.code[i] = facts.codes[out.code[i]];
    if (out.kind[i] == TallyKind::edge) out.where[i] = facts.codes[out.where[i]];
  }
  return outcome;
}

}  // namespace laptime
