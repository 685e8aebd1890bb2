#include "tables/run/values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tables/run/thread_label.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

struct Series {
  std::uint64_t count = 0, finite = 0;
  std::int64_t first_time = INT64_MAX, last_time = INT64_MIN;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double first = 0, last = 0, least = kInfinity, most = -kInfinity, sum = 0;

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
  std::optional<double> if_finite(double value) const { return known_if(finite > 0, value); }
};

struct SeriesRow {
  const std::string &name, &thread;
  const Series& values;
};

constexpr ColumnOf<SeriesRow> kValueColumns[] = {
    {"name", "The name that the program gave it.",
     [](auto& r) { return std::string_view(r.name); }},
    {"thread", "The thread that recorded it.", [](auto& r) { return std::string_view(r.thread); }},
    {"count", Unit::count, "How many numbers.", [](auto& r) { return r.values.count; }},
    {"first", "The earliest.", [](auto& r) { return r.values.first; }},
    {"last", "The latest.", [](auto& r) { return r.values.last; }},
    {"min", "The least finite one.", [](auto& r) { return r.values.if_finite(r.values.least); }},
    {"max", "The largest finite one.", [](auto& r) { return r.values.if_finite(r.values.most); }},
    {"mean", "The mean of the finite ones.",
     [](auto& r) { return ratio(r.values.sum, r.values.finite); }}};
constexpr TableOf<SeriesRow> kValues{"values", kValueColumns};

}  // namespace

Table values_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::map<std::pair<std::string, std::string>, Series> all;
  for (const Track& track : run.tracks) {
    std::map<std::uint32_t, Series*> series;
    for (std::size_t i = 0; i < track.values.size(); ++i) {
      Series*& s = series[track.values.name[i]];
      if (!s) s = &all[{std::string(run.strings[track.values.name[i]]), thread_label(run, track)}];
      s->add(track.values.time[i], track.values.value[i]);
    }
  }
  Table table = kValues.empty("Values");
  for (const auto& [key, values] : all) kValues.add(table, {key.first, key.second, values});
  return table;
}

constinit const TableDefinition kValuesTable =
    define_table<kValues>("numbers recorded over time", "", values_table);

}  // namespace laptime
