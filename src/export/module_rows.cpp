#include "export/module_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace laptime {

namespace {

bool contains(std::string_view outer, std::string_view path) {
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.');
}

class ModuleCalls {
 public:
  explicit ModuleCalls(const Run& run) : run_(run), open_(run.tracks.size()) {}

  // Contract: `event` is not inside another op.
  void add(const TorchEvent& event) {
    std::vector<std::size_t>& open = open_[event.track];
    const std::string_view path =
        event.kind == SpanKind::op
            ? std::string_view(run_.strings[run_.call_sites[event.call_site].module])
            : std::string_view();
    while (!open.empty() && !contains(rows_[open.back()].path, path)) open.pop_back();
    for (std::size_t end = open.empty() ? 0 : rows_[open.back()].path.size() + 1;
         end < path.size();) {
      end = std::min(path.find('.', end), path.size());
      push(path.substr(0, end), event, open);
      ++end;
    }
    for (const std::size_t row : open)
      rows_[row].duration_ns = event.start_ns + event.duration_ns - rows_[row].start_ns;
  }
  std::vector<ModuleRow> take() { return std::move(rows_); }

 private:
  void push(std::string_view path, const TorchEvent& event, std::vector<std::size_t>& open) {
    const std::uint32_t module =
        modules_.try_emplace(std::string(path), static_cast<std::uint32_t>(modules_.size()))
            .first->second;
    const std::uint32_t parent = open.empty() ? 0 : rows_[open.back()].id;
    open.push_back(rows_.size());
    rows_.push_back({std::string(path), event.start_ns, 0, event.track,
                     static_cast<std::uint32_t>(rows_.size() + 1), parent, module});
  }

  const Run& run_;
  std::vector<ModuleRow> rows_;
  std::vector<std::vector<std::size_t>> open_;  // by track: rows, the outermost first
  std::unordered_map<std::string, std::uint32_t> modules_;
};

}  // namespace

std::vector<ModuleRow> module_rows(const Run& run, const std::vector<TorchEvent>& events) {
  ModuleCalls calls(run);
  std::vector<bool> inside(events.size());  // an op or a backward node
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TorchEvent& event = events[i];
    const bool counts = event.kind == SpanKind::op || event.kind == SpanKind::backward;
    const bool in_outer = event.parent != TorchEvent::kNone && inside[event.parent];
    if (counts && !in_outer) calls.add(event);
    inside[i] = counts || in_outer;
  }
  return calls.take();
}

}  // namespace laptime
