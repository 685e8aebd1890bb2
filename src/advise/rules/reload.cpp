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
    "a line that runs in at least every other step reads or decodes data outside of a loader, "
    "and takes a significant part of the step. It calls `open`, `load`, `read_csv`, `imread` …, "
    "or a function named `load_…`, `read_…`, `parse_…` or `decode_…` with constant arguments.",
    "a `DataLoader` reads the data (see dataset-line), or it is read before the loop.",
    "Read once, before the loop. Keep tensors, and index the rows of each batch.",
    "at most 3 % of the line's time remains, for indexing the rows of a batch. At best the rest "
    "of the step is also faster, because its data stays in the caches: 1.5 times as fast, or 6 "
    "times if reading takes at least 5 ms and so fills the caches.",
    find_reload};

}  // namespace laptime
