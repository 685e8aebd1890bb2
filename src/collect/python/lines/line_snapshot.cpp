#include "collect/python/lines/line_snapshot.h"

#include <algorithm>
#include <cmath>

#include "collect/python/code/code_registry.h"
#include "collect/python/tick_rate.h"

namespace laptime::python {

namespace {

std::vector<LineCounter> add_up(const CodeRecord& record,
                                const std::vector<const ThreadSlot*>& slots) {
  std::vector<LineCounter> sums;
  for (const ThreadSlot* slot : slots) {
    const LineCounter* lines = slot->line_tables.get(record.id);
    if (lines == nullptr) continue;
    sums.resize(record.slot_count);
    for (std::uint32_t i = 0; i < record.slot_count; ++i) {
      sums[i].hits += lines[i].hits;
      sums[i].inclusive += lines[i].inclusive;
      sums[i].exclusive += lines[i].exclusive;
    }
  }
  return sums;
}

// The time between a call and its first line belongs to the line that runs first, which is nearly
// always the lowest.
void fold_entry(std::vector<LineCounter>& sums) {
  auto first = std::find_if(sums.begin() + kFirstLineSlot, sums.end(),
                            [](const LineCounter& c) { return c.hits != 0; });
  if (first == sums.end()) first = sums.begin() + kFirstLineSlot;
  first->inclusive += sums[kEntrySlot].inclusive;
  first->exclusive += sums[kEntrySlot].exclusive;
}

void add_row(LineRow& row, const LineCounter& sum, double ns, double event_ns) {
  const double own_cost = static_cast<double>(sum.hits) * event_ns;
  const auto in_ns = [&](std::uint64_t ticks) {
    const double value = static_cast<double>(static_cast<std::int64_t>(ticks)) * ns - own_cost;
    return value > 0 ? static_cast<std::uint64_t>(std::llround(value)) : 0;
  };
  row.hits += sum.hits;
  row.inclusive_ns += in_ns(sum.inclusive);
  row.exclusive_ns += in_ns(sum.exclusive);
}

}  // namespace

std::map<LineLabel, LineRows> snapshot_lines(const std::vector<const ThreadSlot*>& slots,
                                             double event_ns) {
  const double ns = ns_per_tick();
  std::map<LineLabel, LineRows> result;
  for (const auto& record : CodeRegistry::instance().records()) {
    std::vector<LineCounter> sums = add_up(*record, slots);
    if (sums.empty()) continue;
    fold_entry(sums);
    for (std::uint32_t slot = kWholeSlot; slot < record->slot_count; ++slot) {
      const LineCounter& sum = sums[slot];
      if (sum.hits == 0 && sum.inclusive == 0 && sum.exclusive == 0) continue;
      const std::int32_t line =
          slot == kWholeSlot ? 0 : record->base_line + static_cast<std::int32_t>(slot);
      add_row(result[{record->file, record->first_line, record->qualified}][line], sum, ns,
              event_ns);
    }
  }
  return result;
}

}  // namespace laptime::python
