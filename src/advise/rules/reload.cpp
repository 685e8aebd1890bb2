#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/line_calls.h"
#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

bool reads(const std::string& source) {
  if (source.find("load_state_dict") != std::string::npos) return false;
  return calls_any(source,
                   {"open",         "load",         "loads",        "loadtxt",     "genfromtxt",
                    "fromfile",     "memmap",       "read",         "readlines",   "read_csv",
                    "read_json",    "read_parquet", "read_pickle",  "imread",      "imdecode",
                    "decode_jpeg",  "read_image",   "load_dataset", "load_data",   "read_idx",
                    "read_data",    "read_dataset", "load_image",   "load_images", "read_file",
                    "decode_image", "load_batch",   "get_dataset"}) ||
         calls_the_same(source, {"load_", "read_", "parse_", "decode_"});
}

// Of the rest of a step, at best: reading no longer displaces its data from the caches.
constexpr double kRestFaster = 1.5;
// The same if the data read is larger than the caches. Then the rest may run entirely from warm
// caches, its memory is never released, and its threads do not fall asleep in between.
constexpr double kRestWarm = 6;
constexpr double kFillsCaches = 5e6;  // ns of reading: some 10 MB

constexpr double kAsLong = 0.95;  // of the longest: lines that call each other differ by less

// Of lines that call each other the outermost: it takes as long as the others and has the least own
// time.
const PythonLine* outermost(const std::vector<PythonLine>& lines) {
  double longest = 0;
  for (const PythonLine& line : lines) longest = std::max(longest, line.whole.ns);
  const PythonLine* found = nullptr;
  for (const PythonLine& line : lines)
    if (line.whole.ns >= kAsLong * longest && (!found || line.self.ns < found->self.ns))
      found = &line;
  return found;
}

std::vector<Finding> find_reload(const Evidence& evidence) {
  std::vector<PythonLine> lines = python_lines(evidence);
  std::erase_if(lines, [](const PythonLine& line) { return !reads(line.source); });
  const PythonLine* const longest = outermost(lines);
  if (!longest) return {};
  const Part& part = longest->line.time;  // with its ops, which make tensors of the data
  Gain gain = predict(evidence.step_ns(), part, {0, 0.03});
  const bool fills_caches = part.ns >= kFillsCaches;
  gain.high *= fills_caches ? kRestWarm : kRestFaster;
  return {{longest->line.file, longest->line.line, evidence.share(part.ns), gain,
           fills_caches ? Confidence::medium : Confidence::high,
           fmt::format("Data is read again in every step:{} takes {}.", cited(longest->source),
                       of_a_step(evidence, part.ns)),
           "Read it once, before the loop, and keep the tensors; in the loop take the rows of the "
           "batch: images[rows], labels[rows]",
           std::nullopt, std::nullopt, "reading no longer evicts what the rest has in the caches"}};
}

}  // namespace

const Rule kReload{
    "reload",
    "Data is read again in every step",
    "a line that runs in at least every other step calls something that reads or decodes (`open`, "
    "`load`, `read_csv`, `imread` …; a function called `load_…`, `read_…`, `parse_…` or `decode_…` "
    "that is given nothing that changes) outside of a loader, and takes a "
    "good part of the step.",
    "reading is done by a `DataLoader` (see dataset-line), or before the loop.",
    "Read once, before the loop; keep tensors and take the rows of each batch from them.",
    "all of the line's time goes, but for at most 3 % of it (taking the rows of a batch); at best "
    "the rest of the step is half as fast again, with nothing else going through the caches, and "
    "six times as fast "
    "where reading takes at least 5 ms and so is larger than they are.",
    find_reload};

}  // namespace laptime
