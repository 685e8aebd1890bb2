#include "import/xplane/track_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/block.h"

namespace laptime {

void TrackRows::add(const SpanRow& row) {
  while (!open_.empty() && (open_.back().end <= row.start || open_.size() >= kOpen)) close_last();
  auto at = open_.end();
  while (at != open_.begin() && std::prev(at)->end < row.end) --at;
  open_.insert(at, row);
}

void TrackRows::finish() {
  while (!open_.empty()) close_last();
  flush();
}

void TrackRows::close_last() {
  const SpanRow& row = open_.back();
  const auto number = static_cast<std::uint32_t>(rows_.size());
  rows_.start.push_back(row.start);
  rows_.duration.push_back(row.end - row.start);
  rows_.name.push_back(row.name);
  rows_.kind.push_back(row.kind);
  if (row.link != 0 && rows_.link.empty()) rows_.link.resize(number, 0);
  if (row.link != 0 || !rows_.link.empty()) rows_.link.push_back(row.link);
  for (std::size_t i = 0; i < row.arg_count; ++i) {
    rows_.args.row.push_back(number);
    rows_.args.key.push_back(row.args[i].key);
    rows_.args.type.push_back(row.args[i].type);
    rows_.args.value.push_back(row.args[i].value);
  }
  open_.pop_back();
  if (rows_.size() == kMaxBlockRows) flush();
}

void TrackRows::flush() { queue_.add(track_, std::exchange(rows_, {})); }

}  // namespace laptime
