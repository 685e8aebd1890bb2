#include "replay/predict/whatif_tables.h"

#include "tables/code/line_columns.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/ranks/ranks.h"

namespace laptime::replay {

namespace {

constexpr double kLeastShare = 0.01;  // of the step: smaller parts of the path have no row

struct PhaseFacts {
  const Analysis& analysis;
  const PhasePrediction& prediction;

  std::string_view phase() const { return analysis.run().strings[prediction.phase]; }
  std::optional<std::int64_t> rank() const {
    return rank_of_track(analysis.run(), analysis.ranks(), prediction.track);
  }
};

constexpr const char* kRankDoc = "The rank, where processes train together.";

constexpr ColumnOf<PhaseFacts> kSummaryColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.phase(); }},
    {"rank", kRankDoc, [](auto& r) { return r.rank(); }},
    {"before_ns", Unit::ns, "The mean step as it was measured.",
     [](auto& r) { return r.prediction.before_ns; }},
    {"after_ns", Unit::ns, "The mean step as predicted.",
     [](auto& r) { return r.prediction.after_ns; }},
    {"low_ns", Unit::ns, "The lower end of its interval.",
     [](auto& r) { return r.prediction.low_ns; }},
    {"high_ns", Unit::ns, "The upper end.", [](auto& r) { return r.prediction.high_ns; }},
    {"gain", Unit::factor,
     "The factor by which the rate grows: of samples, where the batch changes.",
     [](auto& r) { return r.prediction.gain; }},
    {"gain_low", Unit::factor, "The lower end of its interval.",
     [](auto& r) { return r.prediction.gain_low; }},
    {"gain_high", Unit::factor, "The upper end.", [](auto& r) { return r.prediction.gain_high; }},
    {"replayed_ns", Unit::ns, "The step replayed without a change.",
     [](auto& r) { return r.prediction.replayed_ns; }},
    {"steps", Unit::count, "How many steps count.", [](auto& r) { return r.prediction.steps; }},
    {"recorded", Unit::count, "How many were replayed.",
     [](auto& r) { return r.prediction.replayed; }},
    {"noise", Unit::share, "By how much two starts of the program differ; not in the interval.",
     [](auto& r) { return r.prediction.noise; }}};
constexpr TableOf<PhaseFacts> kWhatif{"whatif", kSummaryColumns};

Table summary_table(const Analysis& analysis, const Prediction& prediction) {
  Table table = kWhatif.empty("What if");
  for (const PhasePrediction& phase : prediction.phases) kWhatif.add(table, {analysis, phase});
  return table;
}

struct CategoryFacts {
  PhaseFacts of;
  const char* view;
  const std::string& category;
  double before_ns, after_ns;

  bool is_replayed() const { return of.prediction.is_replayed; }
};

constexpr ColumnOf<CategoryFacts> kCategoryColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.of.phase(); }},
    {"rank", kRankDoc, [](auto& r) { return r.of.rank(); }},
    {"view", "`host` or `device`.", [](auto& r) { return r.view; }},
    {"category", "As in `breakdown`; of a device `busy` and `idle`.",
     [](auto& r) { return std::string_view(r.category); }},
    {"before_ns", Unit::ns, "Its part of a mean step.", [](auto& r) { return r.before_ns; }},
    {"after_ns", Unit::ns, "Its part after the changes.",
     [](auto& r) { return known_if(r.is_replayed(), r.after_ns); }},
    {"share_before", Unit::share, "The same as `before_ns`, of the step.",
     [](auto& r) { return ratio(r.before_ns, r.of.prediction.before_ns); }},
    {"share_after", Unit::share, "The same as `after_ns`, of the step after the changes.",
     [](auto& r) {
       return r.is_replayed() ? ratio(r.after_ns, r.of.prediction.after_ns) : std::nullopt;
     }}};
constexpr TableOf<CategoryFacts> kWhatifBreakdown{"whatif_breakdown", kCategoryColumns};

Table breakdown_table(const Analysis& analysis, const Prediction& prediction) {
  Table table = kWhatifBreakdown.empty("Where a step goes, before and after");
  for (const PhasePrediction& p : prediction.phases) {
    const HostKnowledge known = knowledge_of(analysis, p.track, p.phase);
    const auto add = [&](const char* view, const std::string& category, double before,
                         double after) {
      kWhatifBreakdown.add(table, {{analysis, p}, view, category, before, after});
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

struct NextFacts {
  PhaseFacts of;
  const PathPart& part;
  std::int64_t wall_ns;

  std::uint32_t line() const { return of.analysis.lines()[part.call_site]; }
};

constexpr ColumnOf<NextFacts> kNextColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.of.phase(); }},
    {"rank", kRankDoc, [](auto& r) { return r.of.rank(); }},
    {"name", "As in `critical_path`.", [](auto& r) { return std::string(r.part.name); }},
    {"file", "The line's file.", [](auto& r) { return file_at(r.of.analysis.lines(), r.line()); }},
    {"line", "The line.", [](auto& r) { return line_at(r.of.analysis.lines(), r.line()); }},
    {"ns", Unit::ns, "Its part of the critical path.", [](auto& r) { return r.part.ns; }},
    {"share", Unit::share, "The same, of the step.",
     [](auto& r) { return ratio(r.part.ns, r.wall_ns); }}};
constexpr TableOf<NextFacts> kWhatifNext{"whatif_next", kNextColumns};

Table next_table(const Analysis& analysis, const Prediction& prediction) {
  Table table = kWhatifNext.empty("What bounds the step then");
  for (const PhasePrediction& p : prediction.phases) {
    std::int64_t wall = 0;
    for (const PathPart& part : p.next) wall += part.ns;
    for (const PathPart& part : p.next) {
      if (static_cast<double>(part.ns) < kLeastShare * static_cast<double>(wall)) break;
      kWhatifNext.add(table, {{analysis, p}, part, wall});
    }
  }
  return table;
}
}  // namespace

std::vector<Table> whatif_tables(const Analysis& analysis, const Prediction& prediction) {
  return {summary_table(analysis, prediction), breakdown_table(analysis, prediction),
          next_table(analysis, prediction)};
}

constinit const TableDefinition kWhatifTable = define_table<kWhatif>(
    "the mean step as it was measured, and as predicted",
    "From `laptime whatif` (docs/whatif.md). There is one row a phase.", nullptr);

constinit const TableDefinition kWhatifBreakdownTable = define_table<kWhatifBreakdown>(
    "a step before and after the changes, by category",
    "From `laptime whatif`. The categories of view `host` sum to the step.", nullptr);

constinit const TableDefinition kWhatifNextTable = define_table<kWhatifNext>(
    "what bounds the step after the changes",
    "From `laptime whatif`: what the critical path of a median step consists of then.", nullptr);

}  // namespace laptime::replay
