#include "collect/python/lines/line_event_cost.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "collect/python/code/code_registry.h"
#include "collect/python/code/line_ranges.h"

namespace laptime::python {

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000

namespace {

// 3.12 looks up the line of the event and of the instruction before it, 3.13 only one of them
// (bench/python/long_functions_bench.py).
constexpr double kLookupsAnEvent = PY_VERSION_HEX < 0x030D0000 ? 2 : 1;

// CPython estimates one line per sixteen code units and stores the difference in a signed byte. Two
// values are reserved.
constexpr int kUnitsALineShift = 4, kLeastDistance = -126, kMostDistance = 127;

bool is_looked_up(const CodeRecord& record, std::int64_t unit, int line) {
  const std::int64_t distance = line - record.first_line - (unit >> kUnitsALineShift);
  return distance < kLeastDistance || distance > kMostDistance;
}

// The offset in the line table, in bytes, of each code unit's entry: the part that a lookup decodes
// first.
std::vector<std::uint32_t> bytes_before_records(PyObject* code) {
  PyObject* table = reinterpret_cast<PyCodeObject*>(code)->co_linetable;
  const auto* bytes = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(table));
  const auto size = static_cast<std::uint32_t>(PyBytes_GET_SIZE(table));
  std::vector<std::uint32_t> before;
  for (std::uint32_t at = 0; at < size;) {
    before.insert(before.end(), (bytes[at] & 7u) + 1, at);
    do ++at;
    while (at < size && (bytes[at] & 0x80u) == 0);
  }
  return before;
}

double lookup_ticks_a_byte(PyObject* code, std::size_t units) {
  constexpr int kRounds = 3;  // the fastest one was not interrupted
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kRounds; ++i) {
    const std::uint64_t begin = ticks();
    PyCode_Addr2Line(reinterpret_cast<PyCodeObject*>(code), static_cast<int>(2 * (units - 1)));
    best = std::min(best, ticks() - begin);
  }
  return static_cast<double>(best) /
         static_cast<double>(PyBytes_GET_SIZE(reinterpret_cast<PyCodeObject*>(code)->co_linetable));
}

}  // namespace

LineEventCosts line_event_costs(const CodeRecord& record, double usual_ticks) {
  LineEventCosts costs;
  const std::int64_t last_unit = Py_SIZE(record.code);
  // The distance changes with the line and the unit. Code with few of both has no lookup.
  if (record.code == nullptr ||
      (record.slot_count <= kMostDistance && last_unit < -kLeastDistance << kUnitsALineShift))
    return costs;
  const std::vector<std::uint32_t> before = bytes_before_records(record.code);
  if (before.empty()) return costs;
  double ticks_a_byte = 0;
  constexpr double kMost = std::numeric_limits<std::uint16_t>::max();
  for_each_line_range(record.code, [&](long start, long, int line) {
    const std::size_t unit = static_cast<std::size_t>(start) / 2;
    if (line < 0 || unit >= before.size()) return;
    ++costs.one_pass;
    if (!is_looked_up(record, static_cast<std::int64_t>(unit), line)) return;
    if (costs.by_slot.empty()) {
      costs.by_slot.assign(record.slot_count, 1);
      ticks_a_byte = lookup_ticks_a_byte(record.code, before.size());
    }
    const double more = kLookupsAnEvent * ticks_a_byte * before[unit] / usual_ticks;
    auto& cost = costs.by_slot[slot_of_line(record, line)];
    cost = std::max(cost, static_cast<std::uint16_t>(std::min(kMost, 1 + more)));
    costs.one_pass += static_cast<std::uint64_t>(more);
  });
  return costs;
}

#else

LineEventCosts line_event_costs(const CodeRecord&, double) { return {}; }

#endif

}  // namespace laptime::python
