#include "tables/code/lines.h"

#include <array>
#include <map>

#include "trace/analysis.h"
#include "trace/code/code_merge.h"
#include "trace/code/line_facts.h"
#include "trace/code/line_ids.h"
#include "trace/code/source_lines.h"
#include "trace/gpu/gpu_work.h"
#include "trace/memory/memory_peak.h"
#include "trace/ops/op_times.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

LineLevel level_of(std::uint32_t where, std::uint32_t flags) {
  if (where != 0) return LineLevel::line;
  return flags & kCodeDemotedToCounts ? LineLevel::count : LineLevel::call;
}

const char* level_name(LineLevel level) {
  switch (level) {
    case LineLevel::line:
      return "line";
    case LineLevel::call:
      return "call";
    case LineLevel::count:
      return "count";
  }
  return "";
}

class LineSums {
 public:
  LineSums(const Analysis& analysis, Threads threads)
      : run_(analysis.run()), threads_(threads), merged_(run_), steps_(run_, analysis.steps()) {
    for (std::uint32_t i = 0; i < run_.tracks.size(); ++i) add(run_.tracks[i], i);
  }

  std::vector<LineTotals> take() {
    std::vector<LineTotals> result;
    for (auto& [key, sums] : sums_) {
      const auto [code, where, track] = key;
      const LineLevel level = level_of(where, merged_.flags(code));
      LineTotals totals{code,
                        where ? where : run_.codes[code].first_line,
                        level,
                        sums.hits,
                        sums.inclusive_ns,
                        {},
                        {},
                        sums.threads};
      if (sums.self_known) totals.exclusive_ns = sums.exclusive_ns;
      totals.steps = sums.times.summarize(steps_);
      result.push_back(totals);
    }
    return result;
  }

 private:
  struct Sums {
    std::uint64_t hits = 0, inclusive_ns = 0, exclusive_ns = 0;
    bool self_known = true;
    StepTimes times;
    RowThreads threads;
  };

  void add(const Track& track, std::uint32_t number) {
    const TallyColumns& rows = track.tallies;
    const bool self_known = knows_line_self_times(run_.processes[track.process]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] != TallyKind::line) continue;
      Sums& sums =
          sums_[{merged_[rows.code[i]], rows.where[i], threads_ == Threads::apart ? number : 0}];
      sums.hits += rows.hits[i];
      sums.inclusive_ns += rows.inclusive[i];
      sums.exclusive_ns += rows.exclusive[i];
      sums.self_known &= self_known;
      sums.threads.add(number);
      const std::uint32_t place = steps_.find(track.process, rows.step[i]);
      if (place != kNoStep) sums.times.add(place, rows.inclusive[i]);
    }
  }

  const Run& run_;
  Threads threads_;
  MergedCodes merged_;
  StepIndex steps_;
  std::map<std::array<std::uint32_t, 3>, Sums> sums_;  // merged code, line or 0, track or 0
};

// Times of ops and GPU work by line. Empty for a run without them, and for rows by thread: backward
// runs on other threads than forward.
class OpLines {
 public:
  OpLines(const Analysis& analysis, Threads threads) : ids_(analysis.lines()) {
    if (threads == Threads::apart) return;
    const std::vector<OpTimes>& times = analysis.op_times();
    known_ = !times.empty();
    for (std::uint32_t call_site = 0; call_site < times.size(); ++call_site)
      if (times[call_site].any() && ids_[call_site] != 0) at(call_site).add(times[call_site]);
    const std::vector<std::uint64_t> gpu = gpu_ns_by_call_site(analysis.run(), analysis.gpu());
    gpu_known_ = !gpu.empty();
    for (std::uint32_t call_site = 0; call_site < gpu.size(); ++call_site)
      if (gpu[call_site] > 0 && ids_[call_site] != 0) at(call_site).gpu_ns += gpu[call_site];
  }

  bool known() const { return known_; }
  bool gpu_known() const { return gpu_known_; }
  // Returns a line's times once.
  OpTimes take(std::uint32_t code, std::uint32_t line) {
    const auto node = lines_.extract({code, line});
    return node.empty() ? OpTimes{} : node.mapped();
  }
  // Visits the lines that were not taken: code, line, times.
  template <typename Visit>
  void for_each_left(Visit visit) const {
    for (const auto& [key, times] : lines_) visit(key.first, key.second, times);
  }

 private:
  OpTimes& at(std::uint32_t call_site) {
    return lines_[{ids_.code(ids_[call_site]), ids_.line(ids_[call_site])}];
  }

  const LineIds& ids_;
  bool known_ = false, gpu_known_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OpTimes> lines_;  // merged code, line
};

// Live bytes of each line at the peak, summed over devices and processes.
class LineBytes {
 public:
  LineBytes(const Analysis& analysis, Threads threads) {
    if (threads == Threads::apart) return;
    const LineIds& ids = analysis.lines();
    for (const MemoryPeak& peak : analysis.memory_peaks()) {
      known_ = true;
      for (const PeakBlock& block : peak.blocks)
        if (const std::uint32_t id = ids[block.call_site]; id != 0)
          bytes_[{ids.code(id), ids.line(id)}] += block.block.bytes;
    }
  }
  std::optional<std::uint64_t> of(std::uint32_t code, std::uint32_t line) const {
    const auto it = bytes_.find({code, line});
    return known_if(known_, it == bytes_.end() ? 0 : it->second);
  }

 private:
  bool known_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes_;  // merged code, line
};

// What the rows of a table share.
class LineContext {
 public:
  LineContext(const Analysis& analysis, const std::vector<LineTotals>& lines, Threads threads,
              const OpLines& ops)
      : run(analysis.run()),
        threads(threads),
        has_steps(!analysis.steps().empty()),
        ops_known(ops.known()),
        gpu_known(ops.gpu_known()),
        bytes(analysis, threads),
        sources_(run) {
    for (const LineTotals& line : lines)
      function_ns_[line.code] += static_cast<double>(line.inclusive_ns);
  }

  double function_ns(std::uint32_t code) const { return function_ns_.at(code); }
  std::optional<std::string_view> source(std::uint32_t code, std::uint32_t line) const {
    return sources_.find(run.strings[run.codes[code].file], line);
  }

  const Run& run;
  const Threads threads;
  const bool has_steps, ops_known, gpu_known;
  const LineBytes bytes;

 private:
  mutable SourceLines sources_;                  // unpacks a file's text on first use
  std::map<std::uint32_t, double> function_ns_;  // by code
};

struct LineRow {
  const LineContext& context;
  std::uint32_t code, line;
  const LineTotals* timed;  // null: only ops of the line are known
  OpTimes ops;

  LineLevel level() const { return timed ? timed->level : LineLevel::line; }
  // A function that was only counted has no own time.
  bool has_time() const {
    return timed && !(timed->level == LineLevel::count && timed->inclusive_ns == 0);
  }
  // A value, if the line has a time.
  template <typename Get>
  auto of_time(Get get) const {
    return has_time() ? std::optional(get(*timed)) : std::nullopt;
  }
};

constexpr ColumnOf<LineRow> kLineColumns[] = {
    {"file", "The file.",
     [](auto& r) { return r.context.run.strings[r.context.run.codes[r.code].file]; }},
    {"line", "The line.", [](auto& r) { return r.line; }},
    {"function", "Its function.",
     [](auto& r) { return r.context.run.strings[r.context.run.codes[r.code].name]; }},
    {"hits", Unit::count, "How often it ran.",
     [](auto& r) { return r.timed ? std::optional(r.timed->hits) : std::nullopt; }},
    {"time_ns", Unit::ns, "How long it took, with all that it called.",
     [](auto& r) { return r.of_time([](auto& t) { return t.inclusive_ns; }); }},
    {"self_ns", Unit::ns, "How long it took without the timed functions that it called.",
     [](auto& r) { return r.has_time() ? r.timed->exclusive_ns : std::nullopt; }},
    {"op_ns", Unit::ns, "How long the ops took that it called.",
     [](auto& r) { return known_if(r.context.ops_known, r.ops.forward_ns); }},
    {"gpu_ns", Unit::ns, "What GPUs did for it, forward and backward.",
     [](auto& r) { return known_if(r.context.gpu_known, r.ops.gpu_ns); }},
    {"wait_ns", Unit::ns, "Waits for input that were made from it.",
     [](auto& r) { return known_if(r.ops.wait_ns > 0, r.ops.wait_ns); }},
    {"bytes", Unit::bytes, "What it held when most memory was alive.",
     [](auto& r) {
       return r.level() == LineLevel::line ? r.context.bytes.of(r.code, r.line) : std::nullopt;
     }},
    {"level", "`line`; `call` or `count` for functions too costly to time by line.",
     [](auto& r) { return level_name(r.level()); }},
    {"source", "Its text, as the run holds it.",
     [](auto& r) { return r.context.source(r.code, r.line); }},
    {"backward_ns", Unit::ns, "How long the backward of its ops took, on any thread.",
     [](auto& r) { return known_if(r.context.ops_known, r.ops.backward_ns); }},
    {"share", Unit::share, "`time_ns` against that of all lines of its function.",
     [](auto& r) {
       return r.has_time() ? ratio(r.timed->inclusive_ns, r.context.function_ns(r.code))
                           : std::nullopt;
     }},
    {"per_hit_ns", Unit::ns, "How long it takes once.",
     [](auto& r) {
       return r.has_time() ? ratio(r.timed->inclusive_ns, r.timed->hits) : std::nullopt;
     }},
    {"step_p50_ns", Unit::ns, "Its time in a step: the median over all steps but the warm-up.",
     [](auto& r) { return r.has_time() ? r.timed->steps.p50_ns : std::nullopt; }},
    {"step_p95_ns", Unit::ns, "The same: the 95th percentile.",
     [](auto& r) { return r.has_time() ? r.timed->steps.p95_ns : std::nullopt; }},
    {"warmup_ns", Unit::ns, "Its time in the warm-up.",
     [](auto& r) {
       return r.has_time() && r.context.has_steps ? std::optional(r.timed->steps.warmup_ns)
                                                  : std::nullopt;
     }},
    {"thread", "The thread, if several threads were timed.", [](auto& r) {
       return r.timed ? threads_text(r.timed->threads, r.context.run, r.context.threads)
                      : std::nullopt;
     }}};
constexpr TableOf<LineRow> kLines{"lines", kLineColumns};

constexpr Grouping kLineGroupings[] = {{"line", lines_table}, {"thread", lines_by_thread_table}};
std::string title_of(const Analysis& analysis, bool ops_known) {
  const std::string note = ops_known ? from_recorded(analysis.run(), analysis.steps()) : "";
  return (note.empty() ? "Lines" : "Lines; ops" + note.substr(1)) + source_note(analysis.run());
}

}  // namespace

std::vector<LineTotals> sum_lines(const Analysis& analysis, Threads threads) {
  return LineSums(analysis, threads).take();
}

namespace {

Table make_table(const Analysis& analysis, Threads threads) {
  const std::vector<LineTotals> lines = sum_lines(analysis, threads);
  OpLines ops(analysis, threads);
  Table table = kLines.empty(title_of(analysis, ops.known()));
  const LineContext context(analysis, lines, threads, ops);
  for (const LineTotals& line : lines)
    if (line.reached())
      kLines.add(table,
                 {context, line.code, line.line, &line,
                  line.level == LineLevel::line ? ops.take(line.code, line.line) : OpTimes{}});
  ops.for_each_left([&](std::uint32_t code, std::uint32_t line, const OpTimes& times) {
    kLines.add(table, {context, code, line, nullptr, times});
  });
  if (ops.gpu_known()) (void)sort_by(table, "gpu_ns");
  if (ops.known())
    for (const char* column : {"backward_ns", "op_ns"}) (void)sort_by(table, column);
  (void)sort_by(table, "time_ns");
  return table;
}

}  // namespace

Table lines_table(const Analysis& analysis) { return make_table(analysis, Threads::together); }
Table lines_by_thread_table(const Analysis& analysis) {
  return make_table(analysis, Threads::apart);
}

constinit const TableDefinition kLinesTable = define_table<kLines>("time by source line",
                                                                   R"(
Threads are added up. `--by thread` gives each thread its own rows, without ops and GPUs. Lines
known only from ops or GPU work have no hits and times. A function that is too costly to time by
line is one row at its first line.

`source` is the text of the program's own Python files, as they were when they were loaded. A
file that a run names is never opened. There is no source in these cases:

- C and C++;
- files over 2 MB, and what exceeds 32 MB compressed;
- files changed after they were loaded (`source_left_out` in `warnings`);
- `--no-source`.)",
                                                                   lines_table, kLineGroupings);

}  // namespace laptime
