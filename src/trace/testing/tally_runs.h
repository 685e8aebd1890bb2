// Runs with codes and tallies, made in a few lines: for unit tests.
#pragma once

#include <string_view>

#include "trace/run/run.h"

namespace laptime {

class TallyRun {
 public:
  TallyRun() {
    run.codes.emplace_back();
    run.processes.emplace_back();
    run.tracks.emplace_back();
  }

  std::uint32_t code(std::string_view file, std::uint32_t line, std::string_view name,
                     std::uint32_t flags = 0) {
    run.codes.push_back({run.strings.add(file), run.strings.add(name), line, flags});
    return static_cast<std::uint32_t>(run.codes.size() - 1);
  }
  struct Counts {
    std::uint64_t hits, inclusive, exclusive, primitive = 0;
    std::uint32_t step = 0;
  };
  void add(TallyKind kind, std::uint32_t code, std::uint32_t where, const Counts& counts) {
    TallyColumns& rows = run.tracks[0].tallies;
    rows.kind.push_back(kind);
    rows.step.push_back(counts.step);
    rows.code.push_back(code);
    rows.where.push_back(where);
    rows.hits.push_back(counts.hits);
    rows.inclusive.push_back(counts.inclusive);
    rows.exclusive.push_back(counts.exclusive);
    rows.extra_hits.push_back(counts.primitive);
    rows.extra_ns.push_back(0);
  }
  void add_step(std::int64_t start, std::int64_t duration, std::string_view phase = "step") {
    SpanColumns& spans = run.tracks[0].spans;
    spans.start.push_back(start);
    spans.duration.push_back(duration);
    spans.name.push_back(run.strings.add(phase));
    spans.kind.push_back(SpanKind::step);
  }

  Run run;
};

}  // namespace laptime
