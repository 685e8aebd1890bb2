#include "advise/evidence/program_lines.h"

#include <algorithm>
#include <map>

#include "advise/evidence/line_calls.h"
#include "advise/evidence/step_calls.h"

namespace laptime {

namespace {

// Lines that run this often, compared with one line, are in its loop.
constexpr double kAsOften = 0.5;
constexpr double kEveryOtherStep = 0.5;
constexpr double kLeastLineShare = 0.01;  // of a step
// Times the ops, in a line that calls some: both are measured in different steps.
constexpr double kMorePython = 2;
constexpr double kFewOps = 0.05;     // of a line's whole time: its calls take the rest
constexpr double kFewUnknown = 0.2;  // of all Python: ops without a line that may be in any
constexpr double kMostOps = 0.8;     // of the time in forward ops

// Whether the line's time belongs to others: the loader, autograd, an optimizer, a compiler, or
// other processes.
bool belongs_to_others(const std::string& source) {
  if (source.starts_with("for ") || source.starts_with("async for ") ||
      source.starts_with("with ") || source.starts_with("@"))
    return true;
  if (calls_any(source,
                {"all_reduce", "all_gather", "all_gather_into_tensor", "all_to_all",
                 "reduce_scatter", "reduce_scatter_tensor", "broadcast", "barrier", "wait"}))
    return true;
  return calls_any(source, {"next", "backward", "step", "zero_grad", "enumerate", "tqdm", "fit",
                            "grad", "compile"});
}

// Without workers the dataset's code runs on this thread, inside the wait for a batch, once for
// each sample.
bool may_be_the_loaders(const Evidence& evidence, const StepLine& line) {
  for (const LoaderSettings& loader : evidence.settings().loaders) {
    if (loader.workers > 0) continue;
    for (const CodeName* code : {&loader.getitem, &loader.collate})
      if (line.file == code->file && line.first_line == code->first_line) return true;
    if (line.hits >= static_cast<double>(std::max<std::int64_t>(2, loader.batch.value_or(1))))
      return true;
  }
  return false;
}

// Whether a line of Python calls it. Ops of a compiled function have the lines that it was made of.
bool is_called(const StepOp& op) { return !op.backward && !op.of_call && op.within.empty(); }

// Forward ops by line, per step. Calls of compiled functions and waits for their results are the
// framework's, too: they run ops, on this thread or on another.
std::map<std::pair<std::string, std::uint32_t>, double> op_times(const Evidence& evidence) {
  std::map<std::pair<std::string, std::uint32_t>, double> times;
  for (const StepOp& op : evidence.ops())
    if (is_called(op)) times[{op.file, op.line}] += op.self_ns;
  for (const SpanKind kind : {SpanKind::dispatch, SpanKind::wait})
    for (const StepCall& call : calls_in_steps(evidence.analysis(), evidence.main_phase(), kind))
      times[{call.file, call.line}] += call.ns;
  return times;
}

// Without the lines of ops, a line's Python cannot be separated from its ops. In a program
// of compiled functions few ops are Python's, and it does not matter.
bool ops_have_lines(const Evidence& evidence) {
  double all = 0, with_line = 0;
  for (const StepOp& op : evidence.ops()) {
    if (!is_called(op)) continue;
    all += op.self_ns;
    with_line += op.file.empty() ? 0 : op.self_ns;
  }
  if (with_line >= kMostOps * all) return true;
  return evidence.host(HostCategory::dispatch).ns > 0 &&
         all - with_line <= kFewUnknown * evidence.host(HostCategory::rest).ns;
}

// A comprehension is a function of its own on the same line. To a reader it is that line.
std::vector<StepLine> merge_same_lines(const std::vector<StepLine>& lines) {
  std::vector<StepLine> merged;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> at;
  for (const StepLine& line : lines) {  // by falling time, so outermost first
    const auto [it, is_new] = at.try_emplace({line.file, line.line}, merged.size());
    if (is_new) {
      merged.push_back(line);
      continue;
    }
    StepLine& outer = merged[it->second];
    outer.self.ns += line.self.ns;
    outer.self.error_ns += line.self.error_ns;
    outer.hits = std::min(outer.hits, line.hits);
  }
  return merged;
}

Part less(Part part, double ns) { return {std::max(0.0, part.ns - ns), part.error_ns}; }

}  // namespace

std::vector<PythonLine> python_lines(const Evidence& evidence, bool with_ops) {
  std::vector<PythonLine> found;
  if (!evidence.knows_ops() || !ops_have_lines(evidence)) return found;
  const double python = evidence.host(HostCategory::rest).ns;
  const auto ops = op_times(evidence);
  for (const StepLine& line : merge_same_lines(evidence.lines())) {
    if (line.hits < kEveryOtherStep || evidence.share(line.time.ns) < kLeastLineShare ||
        may_be_the_loaders(evidence, line))
      continue;
    const std::string source = evidence.source(line.file, line.line);
    if (source.empty() || belongs_to_others(source)) continue;
    const auto op = ops.find({line.file, line.line});
    const double op_ns = op == ops.end() ? 0 : op->second;
    if (!with_ops && line.self.ns - op_ns < kMorePython * op_ns && op_ns > kFewOps * line.time.ns)
      continue;
    PythonLine own{line, source, op_ns > 0, less(line.self, op_ns), less(line.time, op_ns)};
    own.self.ns = std::min(own.self.ns, python);
    own.whole.ns = std::min(own.whole.ns, python);
    found.push_back(std::move(own));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const PythonLine& a, const PythonLine& b) { return a.self.ns > b.self.ns; });
  return found;
}

std::optional<BatchLine> hottest_line(const Evidence& evidence, const CodeName& code) {
  if (code.file.empty()) return std::nullopt;
  const LoaderWorkers& workers = evidence.workers();
  const bool in_workers = !workers.tracks.empty();
  if (in_workers && workers.batches < kFewestEvents) return std::nullopt;
  const std::vector<StepLine> of_workers =
      in_workers ? lines_of_tracks(evidence.run(), workers.tracks) : std::vector<StepLine>{};
  const std::vector<StepLine>& lines = in_workers ? of_workers : evidence.lines();
  const double whole = in_workers ? workers.total_ns : evidence.host(HostCategory::input).ns;
  const auto it = std::find_if(lines.begin(), lines.end(), [&](const StepLine& line) {
    return line.file == code.file && line.first_line == code.first_line;
  });
  if (it == lines.end() || whole <= 0) return std::nullopt;
  double loop_ns = 0;
  for (const StepLine& line : lines)
    if (line.file == code.file && line.first_line == code.first_line &&
        line.hits >= kAsOften * it->hits)
      loop_ns += line.time.ns;
  return BatchLine{*it, std::min(it->time.ns / whole, 1.0),
                   in_workers ? it->hits / static_cast<double>(workers.batches) : it->hits,
                   std::min(loop_ns / whole, 1.0)};
}

replay::Changes batch_without(double share, Range left) {
  return shrunk(category_name(HostCategory::input),
                {1 - share * (1 - left.low), 1 - share * (1 - left.high)});
}

}  // namespace laptime
