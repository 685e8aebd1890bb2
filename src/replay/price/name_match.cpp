#include "replay/price/name_match.h"

#include <fnmatch.h>
#include <algorithm>

#include "format/names.h"
#include "trace/gpu/kernel_names.h"
#include "trace/ops/op_tree.h"
#include "trace/run/nesting.h"

namespace laptime::replay {

namespace {

// A step of an optimizer with a closure is what it does besides (step_hooks.h).

std::string renamed(std::string_view text, std::string_view from, std::string_view to) {
  return std::string(to).append(text.substr(from.size()));
}

bool has_update(const Run& run, std::string_view text, const std::vector<bool>& used) {
  if (!text.starts_with(span_name::kOptimizerStep)) return false;
  const std::uint32_t id =
      run.strings.find(renamed(text, span_name::kOptimizerStep, span_name::kOptimizerUpdate));
  return id != StringTable::kNoString && used[id];
}

bool fits(const std::string& pattern, std::string_view text) {
  return ::fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

// The categories' names in tables. The rest has a name for its contents (host_columns.h).
bool is_category(const std::string& pattern, HostCategory category) {
  return pattern == category_name(category) ||
         (category == HostCategory::rest && (pattern == "python and ops" || pattern == "other"));
}

}  // namespace

NameMatch::NameMatch(const Run& run, const std::string& pattern)
    : line_(as_line(pattern)),
      names_(run.strings.size()),
      call_sites_(run.call_sites.size()),
      functions_(run.codes.size()),
      files_(run.codes.size()) {
  // Run::strings has many kinds of texts. Only names of spans count.
  std::vector<bool> used(run.strings.size());
  for (const Track& track : run.tracks)
    for (std::size_t row = 0; row < track.spans.size(); ++row)
      if (is_nested_kind(track.spans.kind[row]) && track.spans.name[row] < used.size())
        used[track.spans.name[row]] = true;
  for (std::uint32_t id = 1; id < run.strings.size(); ++id) {
    if (!used[id]) continue;
    const std::string_view text = run.strings[id];
    names_[id] =
        (fits(pattern, text) && !has_update(run, text, used)) ||
        (text.starts_with("_Z") && fits(pattern, short_kernel_name(text))) ||
        (text.starts_with(span_name::kOptimizerUpdate) &&
         fits(pattern, renamed(text, span_name::kOptimizerUpdate, span_name::kOptimizerStep)));
    any_ |= names_[id];
  }
  for (std::size_t c = 0; c < kHostCategories; ++c)
    any_ |= categories_[c] = is_category(pattern, static_cast<HostCategory>(c));
  for (std::size_t code = 1; code < run.codes.size(); ++code) {
    const std::string_view function = run.strings[run.codes[code].name];
    functions_[code] = !function.empty() && fits(pattern, function);
    files_[code] = line_ && is_file(run.strings[run.codes[code].file], line_->file);
    any_ |= functions_[code];
  }
  for (std::size_t call_site = 1; call_site < run.call_sites.size(); ++call_site) {
    call_sites_[call_site] = run.call_sites[call_site].code < files_.size() &&
                             line(run.call_sites[call_site].code, run.call_sites[call_site].line);
    any_ |= call_sites_[call_site];
  }
}

std::vector<bool> NameMatch::frames(const Run& run, const TaskGraph& graph) const {
  std::vector<bool> found(graph.frames.size());
  for (std::size_t f = 0; f < graph.frames.size(); ++f) {
    const Frame& frame = graph.frames[f];
    found[f] = names(run.tracks[frame.track].spans.name[frame.row]) ||
               (frame.outer != kNone && found[frame.outer]);
  }
  return found;
}

}  // namespace laptime::replay
