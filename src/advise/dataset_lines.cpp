#include "advise/dataset_lines.h"

#include <algorithm>

namespace laptime {

namespace {

constexpr double kAsOften = 0.5;

}  // namespace

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
