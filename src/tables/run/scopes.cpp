#include "tables/run/scopes.h"

#include <algorithm>
#include <map>

#include "base/bulk_vector.h"
#include "base/parallel.h"
#include "base/percentile.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/run/nesting.h"

namespace laptime {

namespace {

constexpr std::uint32_t kNoPlace = ~0u;

// The facts of one name on the tracks of a group.
struct NameSums {
  std::uint32_t name = 0;
  std::uint64_t calls = 0, total_ns = 0, self_ns = 0;
  std::size_t durations_end = 0;  // the end of its interval in ThreadGroup::durations
};

// Sums by name while a group's rows are walked. Its index has an entry for each name of the run, so
// it lives only as long as the walk.
class SumsByName {
 public:
  NameSums& operator[](std::uint32_t name) {
    if (name >= places_.size()) places_.resize(name + 1, kNoPlace);
    std::uint32_t& place = places_[name];
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({name});
    }
    return sums_[place];
  }
  std::vector<NameSums>& all() { return sums_; }
  std::vector<NameSums> take_sorted() {
    std::sort(sums_.begin(), sums_.end(),
              [](const NameSums& a, const NameSums& b) { return a.name < b.name; });
    return std::move(sums_);
  }

 private:
  std::vector<std::uint32_t> places_;
  std::vector<NameSums> sums_;
};

// Tracks that share a label, and the durations of all their spans. The durations of one name are
// adjacent.
struct ThreadGroup {
  std::string label;
  std::vector<const Track*> tracks;
  std::size_t spans = 0;
  std::vector<NameSums> names;   // calls and totals, by name
  std::vector<NameSums> nested;  // self times; the same names in the same order
  BulkVector<std::int64_t> durations;
};

std::vector<ThreadGroup> group_tracks(const Run& run) {
  std::map<std::string, std::size_t> places;
  std::vector<ThreadGroup> groups;
  for (const Track& track : run.tracks) {
    if (track.spans.size() == 0) continue;
    const auto [it, is_new] = places.try_emplace(thread_label(run, track), groups.size());
    if (is_new) groups.push_back({it->first, {}, 0, {}, {}, {}});
    ThreadGroup& group = groups[it->second];
    group.tracks.push_back(&track);
    group.spans += track.spans.size();
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.spans > b.spans; });
  return groups;
}

// Recorded steps contain an optimizer twice: from the hook, and from torch as an annotation with
// the same name. Only the outer one, which ends slightly later, counts. Self times of both can be
// added: they sum to the optimizer's.
bool is_repeated(const SpanColumns& spans, std::size_t row) {
  constexpr std::size_t kLookAhead = 8;
  const SpanKind kind = spans.kind[row];
  if (kind != SpanKind::optimizer && kind != SpanKind::annotation) return false;
  const SpanKind other = kind == SpanKind::optimizer ? SpanKind::annotation : SpanKind::optimizer;
  for (std::size_t next = row + 1; next < std::min(spans.size(), row + 1 + kLookAhead); ++next)
    if (spans.kind[next] == other && spans.name[next] == spans.name[row] &&
        spans.start[next] <= spans.start[row])
      return true;
  return false;
}

template <typename Visit>
void for_each_row(const ThreadGroup& group, Visit visit) {
  for (const Track* track : group.tracks)
    for (std::size_t i = 0; i < track->spans.size(); ++i)
      if (is_nested_kind(track->spans.kind[i]) && !is_repeated(track->spans, i))
        visit(track->spans.name[i], track->spans.duration[i]);
}

void gather_durations(ThreadGroup& group) {
  SumsByName sums;
  for_each_row(group, [&](std::uint32_t name, std::int64_t duration) {
    NameSums& s = sums[name];
    ++s.calls;
    s.total_ns += static_cast<std::uint64_t>(duration);
  });
  std::size_t total = 0;
  for (NameSums& s : sums.all()) {
    s.durations_end = total;
    total += s.calls;
  }
  group.durations.resize(total);
  for_each_row(group, [&](std::uint32_t name, std::int64_t duration) {
    group.durations[sums[name].durations_end++] = duration;
  });
  group.names = sums.take_sorted();
}

void sum_self_times(ThreadGroup& group) {
  SumsByName sums;
  for (const Track* track : group.tracks)
    for_each_self_time(track->spans, [&](std::uint32_t row, std::int64_t self_ns) {
      sums[track->spans.name[row]].self_ns += static_cast<std::uint64_t>(self_ns);
    });
  group.nested = sums.take_sorted();
}

struct ScopeRow {
  std::string_view name, thread;
  std::uint64_t calls = 0, total_ns = 0, self_ns = 0;
  std::int64_t p50_ns = 0, p95_ns = 0, run_ns = 0;
};

constexpr ColumnOf<ScopeRow> kScopeColumns[] = {
    {"name", "The span's name.",
     [](auto& r) { return r.name.empty() ? std::string_view("(unnamed)") : r.name; }},
    {"thread", "The thread; threads with the same name are one row a name.",
     [](auto& r) { return r.thread; }},
    {"calls", Unit::count, "How many spans.", [](auto& r) { return r.calls; }},
    {"total_ns", Unit::ns, "How long all of them took.", [](auto& r) { return r.total_ns; }},
    {"self_ns", Unit::ns, "How long they took without the spans inside them.",
     [](auto& r) { return r.self_ns; }},
    {"mean_ns", Unit::ns, "How long one takes.",
     [](auto& r) { return static_cast<double>(r.total_ns) / static_cast<double>(r.calls); }},
    {"p50_ns", Unit::ns, "The median duration.", [](auto& r) { return r.p50_ns; }},
    {"p95_ns", Unit::ns, "The 95th percentile of durations.", [](auto& r) { return r.p95_ns; }},
    {"share", Unit::share, "`self_ns` against the run's duration.",
     [](auto& r) { return ratio(r.self_ns, r.run_ns); }}};
constexpr TableOf<ScopeRow> kScopes{"scopes", kScopeColumns};

ScopeRow scope_row(const Run& run, ThreadGroup& group, std::size_t which) {
  const NameSums& sums = group.names[which];
  const std::span<std::int64_t> durations(
      group.durations.data() + (sums.durations_end - sums.calls), sums.calls);
  const std::int64_t p50 = take_percentile(durations, 0.50);
  // Selecting the median left all larger values behind it, so the search for the 95th percentile
  // continues there.
  const std::size_t middle = percentile_index(durations.size(), 0.50),
                    high = percentile_index(durations.size(), 0.95);
  std::nth_element(&durations[middle], &durations[high], durations.data() + durations.size());
  return {run.strings[sums.name],      group.label, sums.calls,      sums.total_ns,
          group.nested[which].self_ns, p50,         durations[high], run.end_ns};
}

}  // namespace

Table scopes_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::vector<ThreadGroup> groups = group_tracks(run);
  parallel_for(groups.size() * 2, [&](std::size_t i) {
    i % 2 == 0 ? gather_durations(groups[i / 2]) : sum_self_times(groups[i / 2]);
  });
  struct Place {
    ThreadGroup* group;
    std::size_t which;
    std::uint64_t calls() const { return group->names[which].calls; }
  };
  std::vector<Place> places;
  for (ThreadGroup& group : groups)
    for (std::size_t i = 0; i < group.names.size(); ++i) places.push_back({&group, i});
  // Largest first, so that no worker starts the largest when the others are done.
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.calls() > b.calls(); });
  Table table = kScopes.empty("Scopes");
  table.rows.resize(places.size());
  parallel_for(places.size(), [&](std::size_t i) {
    table.rows[i] = kScopes.row(scope_row(run, *places[i].group, places[i].which));
  });
  std::sort(table.rows.begin(), table.rows.end());
  (void)sort_by(table, "total_ns");
  return table;
}

constinit const TableDefinition kScopesTable = define_table<kScopes>(
    "where the time went, by name and thread",
    "It counts all spans: scopes, ops, waits. Steps are left out.", scopes_table);

}  // namespace laptime
