#include "trace/code/call_graph.h"

#include <algorithm>
#include <map>

#include "trace/code/code_merge.h"

namespace laptime {

namespace {

void add_row(CallTotals& totals, const TallyColumns& rows, std::size_t i) {
  totals.calls += rows.hits[i];
  totals.primitive_calls += rows.extra_hits[i];
  totals.own_ns += rows.exclusive[i];
  totals.cumulative_ns += rows.inclusive[i];
}

class GraphBuilder {
 public:
  explicit GraphBuilder(const Run& run) : merged_(run), places_(run.codes.size(), kNone) {}

  void add(const TallyColumns& rows, std::uint32_t track) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Code 0 is one that the file never explained; as a caller it means no caller.
      const bool edge = rows.kind[i] == TallyKind::edge;
      if (edge && rows.where[i] != 0)
        add_row(edges_[{place_of(rows.where[i]), place_of(rows.code[i])}], rows, i);
      if (rows.kind[i] != TallyKind::call) continue;
      Function& function = graph_.functions[place_of(rows.code[i])];
      function.counted = true;
      function.threads.add(track);
      add_row(function.totals, rows, i);
    }
  }

  CallGraph take() {
    for (const auto& [ends, totals] : edges_) {
      graph_.functions[ends.second].callers.push_back({ends.first, totals});
      graph_.functions[ends.first].callees.push_back({ends.second, totals});
    }
    for (Function& function : graph_.functions)
      std::stable_sort(function.callees.begin(), function.callees.end(),
                       [](const CallEdge& a, const CallEdge& b) {
                         return a.totals.cumulative_ns > b.totals.cumulative_ns;
                       });
    return std::move(graph_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::uint32_t place_of(std::uint32_t code) {
    std::uint32_t& place = places_[merged_[code]];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(graph_.functions.size());
      graph_.functions.push_back({merged_[code],
                                  false,
                                  (merged_.flags(merged_[code]) & kCodeCallsCut) != 0,
                                  {},
                                  {},
                                  {},
                                  {}});
    }
    return place;
  }

  MergedCodes merged_;
  std::vector<std::uint32_t> places_;                                    // by row of Run::codes
  std::map<std::pair<std::uint32_t, std::uint32_t>, CallTotals> edges_;  // caller, callee
  CallGraph graph_;
};

}  // namespace

CallGraph build_call_graph(const Run& run) {
  GraphBuilder builder(run);
  for (std::uint32_t i = 0; i < run.tracks.size(); ++i) builder.add(run.tracks[i].tallies, i);
  return builder.take();
}

CallGraph build_call_graph(const Run& run, std::uint32_t track) {
  GraphBuilder builder(run);
  builder.add(run.tracks[track].tallies, track);
  return builder.take();
}

}  // namespace laptime
