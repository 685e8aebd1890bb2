#include "replay/predict/whatif_tables.h"

#include "tables/code/line_cells.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/ranks/ranks.h"

namespace laptime::replay {

namespace {

constexpr double kLeastShare = 0.01;  // of the step: smaller parts of the path are not told

// Of a phase, where processes train together: its rank.
Cell rank_cell(const Analysis& analysis, const PhasePrediction& phase) {
  const std::optional<std::int64_t> number =
      rank_of_track(analysis.run(), analysis.ranks(), phase.track);
  return number ? Cell(*number) : kUnknown;
}

Table summary_table(const Analysis& analysis, const Prediction& prediction) {
  const Run& run = analysis.run();
  Table table{"whatif",
              "What if",
              {{"phase", ColumnType::text},
               {"rank", ColumnType::integer},
               {"before_ns", ColumnType::real, Unit::ns},
               {"after_ns", ColumnType::real, Unit::ns},
               {"low_ns", ColumnType::real, Unit::ns},
               {"high_ns", ColumnType::real, Unit::ns},
               {"gain", ColumnType::real, Unit::factor},
               {"gain_low", ColumnType::real, Unit::factor},
               {"gain_high", ColumnType::real, Unit::factor},
               {"replayed_ns", ColumnType::real, Unit::ns},
               {"steps", ColumnType::integer, Unit::count},
               {"recorded", ColumnType::integer, Unit::count},
               {"noise", ColumnType::real, Unit::share}},
              {}};
  for (const PhasePrediction& p : prediction.phases)
    table.rows.push_back({std::string(run.strings[p.phase]), rank_cell(analysis, p), p.before_ns,
                          p.after_ns, p.low_ns, p.high_ns, p.gain, p.gain_low, p.gain_high,
                          p.replayed_ns, integer_cell(p.steps), integer_cell(p.replayed), p.noise});
  return table;
}

Table breakdown_table(const Analysis& analysis, const Prediction& prediction) {
  Table table{"whatif_breakdown",
              "Where a step goes, before and after",
              {{"phase", ColumnType::text},
               {"rank", ColumnType::integer},
               {"view", ColumnType::text},
               {"category", ColumnType::text},
               {"before_ns", ColumnType::real, Unit::ns},
               {"after_ns", ColumnType::real, Unit::ns},
               {"share_before", ColumnType::real, Unit::share},
               {"share_after", ColumnType::real, Unit::share}},
              {}};
  for (const PhasePrediction& p : prediction.phases) {
    const std::string phase(analysis.run().strings[p.phase]);
    const HostKnowledge known = knowledge_of(analysis, p.track, p.phase);
    const auto add = [&](const char* view, const std::string& category, double before,
                         double after) {
      table.rows.push_back({phase, rank_cell(analysis, p), view, category, before,
                            p.is_replayed ? Cell(after) : kUnknown, ratio_cell(before, p.before_ns),
                            p.is_replayed ? ratio_cell(after, p.after_ns) : kUnknown});
    };
    for (std::size_t c = 0; c < kHostCategories; ++c)
      if (p.before.exposed[c] > 0 || p.after.exposed[c] > 0)
        add("host", host_category_name(static_cast<HostCategory>(c), known), p.before.exposed[c],
            p.after.exposed[c]);
    if (p.before.undivided_ns > 0)
      add("host", kUndivided, p.before.undivided_ns, p.after.undivided_ns);
    if (!p.gpu_busy_before || !p.gpu_busy_after) continue;
    add("device", "busy", *p.gpu_busy_before * p.before_ns, *p.gpu_busy_after * p.after_ns);
    add("device", "idle", (1 - *p.gpu_busy_before) * p.before_ns,
        (1 - *p.gpu_busy_after) * p.after_ns);
  }
  return table;
}

Table next_table(const Analysis& analysis, const Prediction& prediction) {
  const Run& run = analysis.run();
  Table table{"whatif_next",
              "What bounds the step then",
              {{"phase", ColumnType::text},
               {"rank", ColumnType::integer},
               {"name", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share}},
              {}};
  const LineIds& lines = analysis.lines();
  for (const PhasePrediction& p : prediction.phases) {
    std::int64_t wall = 0;
    for (const PathPart& part : p.next) wall += part.ns;
    for (const PathPart& part : p.next) {
      if (static_cast<double>(part.ns) < kLeastShare * static_cast<double>(wall)) break;
      const std::uint32_t line = lines[part.place];
      table.rows.push_back({std::string(run.strings[p.phase]), rank_cell(analysis, p), part.name,
                            file_cell(lines, line), line_cell(lines, line), part.ns,
                            ratio_cell(static_cast<double>(part.ns), static_cast<double>(wall))});
    }
  }
  return table;
}

}  // namespace

std::vector<Table> whatif_tables(const Analysis& analysis, const Prediction& prediction) {
  return {summary_table(analysis, prediction), breakdown_table(analysis, prediction),
          next_table(analysis, prediction)};
}

}  // namespace laptime::replay
