// The names, call sites and categories of a run that a pattern matches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/graph/task_graph.h"
#include "replay/price/changes.h"
#include "trace/run/run.h"

namespace laptime::replay {

class NameMatch {
 public:
  NameMatch(const Run& run, const std::string& pattern);

  // Contract: ids of the run.
  bool names(std::uint32_t name) const { return names_[name]; }
  bool call_site(std::uint32_t call_site) const { return call_sites_[call_site]; }
  bool category(HostCategory category) const {
    return categories_[static_cast<std::size_t>(category)];
  }
  // A line is matched by its file and number, or by its function.
  bool line(std::uint32_t code, std::uint32_t line) const {
    return functions_[code] || (line_ && files_[code] && line == line_->line);
  }
  // By frame of a graph: whether it or one around it is matched.
  std::vector<bool> frames(const Run& run, const TaskGraph& graph) const;
  // Whether anything in the run is matched.
  bool any() const { return any_; }

 private:
  std::optional<LinePattern> line_;
  std::vector<bool> names_, call_sites_;  // by string, by call site
  std::vector<bool> functions_, files_;  // by code: its function is matched, its file is the line's
  std::array<bool, kHostCategories> categories_{};
  bool any_ = false;
};

}  // namespace laptime::replay
