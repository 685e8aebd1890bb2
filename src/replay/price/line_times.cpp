#include "replay/price/line_times.h"

#include <algorithm>
#include <set>
#include <string>

#include "replay/graph/step_python.h"

namespace laptime::replay {

namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }
std::string_view class_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}
bool makes_batches(std::string_view function) {
  const std::string_view last = last_part(function);
  return last == "__getitem__" || last == "__getitems__" || last == "__iter__" ||
         last == "__next__" || last.find("collate") != std::string_view::npos;
}

// By code: whether it makes batches.
std::vector<bool> input_codes(const Run& run) {
  std::set<std::string_view> classes;
  for (const Code& code : run.codes)
    if (const std::string_view name = run.strings[code.name];
        makes_batches(name) && !class_of(name).empty())
      classes.insert(class_of(name));
  std::vector<bool> codes(run.codes.size());
  for (std::size_t i = 1; i < run.codes.size(); ++i) {
    const std::string_view name = run.strings[run.codes[i].name];
    codes[i] = makes_batches(name) || classes.contains(class_of(name)) ||
               std::any_of(classes.begin(), classes.end(), [&](std::string_view c) {
                 return name.size() > c.size() && name.starts_with(c) && name[c.size()] == '.';
               });
  }
  return codes;
}

}  // namespace

LineTimes::LineTimes(const Run& run, const std::vector<Step>& steps, const NameMatch& match,
                     double line_share) {
  const std::vector<std::vector<const Step*>> by_process = tallied_steps(run, steps);
  const std::vector<bool> is_input = input_codes(run);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const TallyColumns& rows = run.tracks[t].tallies;
    const auto& list = by_process[run.tracks[t].process];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t code = rows.code[i];
      if (rows.kind[i] != TallyKind::line || code >= run.codes.size()) continue;
      if (!match.line(code, rows.where[i] != 0 ? rows.where[i] : run.codes[code].first_line))
        continue;
      const auto own = static_cast<double>(rows.exclusive[i]);
      const auto ns = static_cast<std::int64_t>(
          std::max(own / 2, own - line_share * static_cast<double>(rows.hits[i])));
      if (list.empty() && ns > 0) worker_ns_[t] += ns;
      if (rows.step[i] >= list.size() || list[rows.step[i]]->track != t) continue;
      const Step& step = *list[rows.step[i]];
      (is_input[code] ? input_ns_ : step_ns_)[{t, step.start_ns}] += ns;
    }
  }
}

std::int64_t LineTimes::in_workers(std::span<const std::uint32_t> tracks) const {
  std::int64_t sum = 0;
  for (const std::uint32_t track : tracks)
    if (const auto it = worker_ns_.find(track); it != worker_ns_.end()) sum += it->second;
  return sum;
}

}  // namespace laptime::replay
