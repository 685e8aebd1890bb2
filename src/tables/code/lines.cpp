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

// Without a time of its own, a function that was only counted has an unknown one.
Cell time_cell(const LineTotals& line, std::uint64_t ns) {
  return line.level == LineLevel::count && line.inclusive_ns == 0 ? kUnknown : integer_cell(ns);
}

Cell optional_cell(const std::optional<std::int64_t>& ns) { return ns ? Cell(*ns) : kUnknown; }

// What ops and GPUs took, by line; knows nothing of a run without them, nor of threads apart:
// backward runs on others than forward.
class OpLines {
 public:
  OpLines(const Analysis& analysis, Threads threads) : ids_(analysis.lines()) {
    if (threads == Threads::apart) return;
    const std::vector<OpTimes>& times = analysis.op_times();
    known_ = !times.empty();
    for (std::uint32_t place = 0; place < times.size(); ++place)
      if (times[place].any() && ids_[place] != 0) at(place).add(times[place]);
    const std::vector<std::uint64_t> gpu = gpu_ns_by_place(analysis.run(), analysis.gpu());
    gpu_known_ = !gpu.empty();
    for (std::uint32_t place = 0; place < gpu.size(); ++place)
      if (gpu[place] > 0 && ids_[place] != 0) at(place).gpu_ns += gpu[place];
  }

  bool known() const { return known_; }
  bool gpu_known() const { return gpu_known_; }
  // Hands a line's times out once.
  OpTimes take(std::uint32_t code, std::uint32_t line) {
    const auto node = lines_.extract({code, line});
    return node.empty() ? OpTimes{} : node.mapped();
  }
  // Those that were not taken: code, line, times.
  template <typename Visit>
  void for_each_left(Visit visit) const {
    for (const auto& [key, times] : lines_) visit(key.first, key.second, times);
  }

 private:
  OpTimes& at(std::uint32_t place) {
    return lines_[{ids_.code(ids_[place]), ids_.line(ids_[place])}];
  }

  const LineIds& ids_;
  bool known_ = false, gpu_known_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OpTimes> lines_;  // merged code, line
};

// What each line held when most memory was alive; summed over devices and processes.
class LineBytes {
 public:
  LineBytes(const Analysis& analysis, Threads threads) {
    if (threads == Threads::apart) return;
    const LineIds& ids = analysis.lines();
    for (const MemoryPeak& peak : analysis.memory_peaks()) {
      known_ = true;
      for (const PeakBlock& block : peak.blocks)
        if (const std::uint32_t id = ids[block.place]; id != 0)
          bytes_[{ids.code(id), ids.line(id)}] += block.block.bytes;
    }
  }
  Cell cell(std::uint32_t code, std::uint32_t line) const {
    const auto it = bytes_.find({code, line});
    return !known_ ? kUnknown : integer_cell(it == bytes_.end() ? 0 : it->second);
  }

 private:
  bool known_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes_;  // merged code, line
};

Table empty_lines() {
  return {"lines",
          "Lines",
          {{"file", ColumnType::text},
           {"line", ColumnType::integer},
           {"function", ColumnType::text},
           {"hits", ColumnType::integer, Unit::count},
           {"time_ns", ColumnType::integer, Unit::ns},
           {"self_ns", ColumnType::integer, Unit::ns},
           {"op_ns", ColumnType::integer, Unit::ns},
           {"gpu_ns", ColumnType::integer, Unit::ns},
           {"wait_ns", ColumnType::integer, Unit::ns},
           {"bytes", ColumnType::integer, Unit::bytes},
           {"level", ColumnType::text},
           {"source", ColumnType::text},
           {"backward_ns", ColumnType::integer, Unit::ns},
           {"share", ColumnType::real, Unit::share},
           {"per_hit_ns", ColumnType::real, Unit::ns},
           {"step_p50_ns", ColumnType::integer, Unit::ns},
           {"step_p95_ns", ColumnType::integer, Unit::ns},
           {"warmup_ns", ColumnType::integer, Unit::ns},
           {"thread", ColumnType::text}},
          {}};
}

class LineRows {
 public:
  LineRows(const Analysis& analysis, const std::vector<LineTotals>& lines, Threads threads,
           bool ops_known, bool gpu_known)
      : run_(analysis.run()),
        threads_(threads),
        has_steps_(!analysis.steps().empty()),
        ops_known_(ops_known),
        gpu_known_(gpu_known),
        bytes_(analysis, threads),
        sources_(run_) {
    for (const LineTotals& line : lines)
      function_ns_[line.code] += static_cast<double>(line.inclusive_ns);
  }

  Row make(const LineTotals& line, const OpTimes& ops) {
    const auto time = static_cast<double>(line.inclusive_ns);
    const Cell known_time = time_cell(line, line.inclusive_ns);
    const bool known = known_time != kUnknown;
    return {file_cell(line.code),
            integer_cell(line.line),
            function_cell(line.code),
            integer_cell(line.hits),
            known_time,
            line.exclusive_ns ? time_cell(line, *line.exclusive_ns) : kUnknown,
            op_cell(ops.forward_ns),
            gpu_cell(ops),
            wait_cell(ops),
            line.level == LineLevel::line ? bytes_.cell(line.code, line.line) : kUnknown,
            level_name(line.level),
            source_cell(line.code, line.line),
            op_cell(ops.backward_ns),
            known ? ratio_cell(time, function_ns_[line.code]) : kUnknown,
            known ? ratio_cell(time, static_cast<double>(line.hits)) : kUnknown,
            known ? optional_cell(line.steps.p50_ns) : kUnknown,
            known ? optional_cell(line.steps.p95_ns) : kUnknown,
            known && has_steps_ ? Cell(line.steps.warmup_ns) : kUnknown,
            threads_cell(line.threads, run_, threads_)};
  }
  // A line that was not timed: all that is known of it are its ops.
  Row make(std::uint32_t code, std::uint32_t line, const OpTimes& ops) {
    Row row{file_cell(code),
            integer_cell(line),
            function_cell(code),
            kUnknown,
            kUnknown,
            kUnknown,
            op_cell(ops.forward_ns),
            gpu_cell(ops),
            wait_cell(ops),
            bytes_.cell(code, line),
            level_name(LineLevel::line),
            source_cell(code, line),
            op_cell(ops.backward_ns)};
    row.resize(empty_lines().columns.size(), kUnknown);
    return row;
  }

 private:
  Cell file_cell(std::uint32_t code) const {
    return std::string(run_.strings[run_.codes[code].file]);
  }
  Cell function_cell(std::uint32_t code) const {
    return std::string(run_.strings[run_.codes[code].name]);
  }
  Cell op_cell(std::uint64_t ns) const { return ops_known_ ? integer_cell(ns) : kUnknown; }
  Cell gpu_cell(const OpTimes& ops) const {
    return gpu_known_ ? integer_cell(ops.gpu_ns) : kUnknown;
  }
  static Cell wait_cell(const OpTimes& ops) {
    return ops.wait_ns > 0 ? integer_cell(ops.wait_ns) : kUnknown;
  }
  Cell source_cell(std::uint32_t code, std::uint32_t line) {
    const auto source = sources_.find(run_.strings[run_.codes[code].file], line);
    return source ? Cell(std::string(*source)) : kUnknown;
  }

  const Run& run_;
  Threads threads_;
  bool has_steps_, ops_known_, gpu_known_;
  LineBytes bytes_;
  SourceLines sources_;
  std::map<std::uint32_t, double> function_ns_;  // by code
};

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
  Table table = empty_lines();
  const std::vector<LineTotals> lines = sum_lines(analysis, threads);
  OpLines ops(analysis, threads);
  table.title = title_of(analysis, ops.known());
  LineRows rows(analysis, lines, threads, ops.known(), ops.gpu_known());
  for (const LineTotals& line : lines)
    if (line.reached())
      table.rows.push_back(rows.make(
          line, line.level == LineLevel::line ? ops.take(line.code, line.line) : OpTimes{}));
  ops.for_each_left([&](std::uint32_t code, std::uint32_t line, const OpTimes& times) {
    table.rows.push_back(rows.make(code, line, times));
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

}  // namespace laptime
