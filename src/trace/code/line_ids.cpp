#include "trace/code/line_ids.h"

#include "base/flat_map.h"

namespace laptime {

LineIds::LineIds(const Run& run) : run_(run), ids_(run.call_sites.size()), lines_{{0, 0}} {
  const MergedCodes merged(run);
  FlatMap<std::uint32_t> known;
  for (std::size_t i = 0; i < run.call_sites.size(); ++i) {
    const Line line{merged[run.call_sites[i].code], run.call_sites[i].line};
    if (line.code == 0) continue;
    std::uint32_t& id = known[static_cast<std::uint64_t>(line.code) << 32 | line.line];
    if (id == 0) {
      id = static_cast<std::uint32_t>(lines_.size());
      lines_.push_back(line);
    }
    ids_[i] = id;
  }
}

}  // namespace laptime
