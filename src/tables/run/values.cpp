#include "tables/run/values.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tables/run/thread_label.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

struct Series {
  std::uint64_t count = 0, finite = 0;
  std::int64_t first_time = INT64_MAX, last_time = INT64_MIN;
  double first = 0, last = 0, least = INFINITY, most = -INFINITY, sum = 0;

  void add(std::int64_t time, double value) {
    ++count;
    if (time < first_time) first_time = time, first = value;
    if (time >= last_time) last_time = time, last = value;
    if (!std::isfinite(value)) return;
    ++finite;
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  Cell if_finite(double value) const { return finite > 0 ? Cell(value) : kUnknown; }
};

}  // namespace

Table values_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"values",
              "Values",
              {{"name", ColumnType::text},
               {"thread", ColumnType::text},
               {"count", ColumnType::integer, Unit::count},
               {"first", ColumnType::real},
               {"last", ColumnType::real},
               {"min", ColumnType::real},
               {"max", ColumnType::real},
               {"mean", ColumnType::real}},
              {}};
  std::map<std::pair<std::string, std::string>, Series> all;
  for (const Track& track : run.tracks) {
    std::map<std::uint32_t, Series*> series;
    for (std::size_t i = 0; i < track.values.size(); ++i) {
      Series*& s = series[track.values.name[i]];
      if (!s) s = &all[{std::string(run.strings[track.values.name[i]]), thread_label(run, track)}];
      s->add(track.values.time[i], track.values.value[i]);
    }
  }
  for (const auto& [key, s] : all)
    table.rows.push_back({key.first, key.second, integer_cell(s.count), s.first, s.last,
                          s.if_finite(s.least), s.if_finite(s.most),
                          ratio_cell(s.sum, static_cast<double>(s.finite))});
  return table;
}

}  // namespace laptime
