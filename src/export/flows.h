// Finds the links that start or end at a span with a link id. A link leads from the first span with
// its `from` to the first span with its `to`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class Flows {
 public:
  explicit Flows(const LinkColumns& links) : starts_(index(links.from)), ends_(index(links.to)) {}

  // Calls visit(link row, is_start) for each link that was not yet visited at this end.
  template <typename Visit>
  void at_span(std::uint64_t link, Visit visit) {
    if (link == 0) return;
    take(starts_, link, [&](std::size_t row) { visit(row, true); });
    take(ends_, link, [&](std::size_t row) { visit(row, false); });
  }

 private:
  struct End {
    std::uint64_t link;
    std::size_t row;
    bool taken = false;
    bool operator<(const End& other) const { return link < other.link; }
  };
  static std::vector<End> index(const std::vector<std::uint64_t>& links) {
    std::vector<End> ends;
    for (std::size_t row = 0; row < links.size(); ++row) ends.push_back({links[row], row});
    std::stable_sort(ends.begin(), ends.end());
    return ends;
  }
  template <typename Visit>
  static void take(std::vector<End>& ends, std::uint64_t link, Visit visit) {
    for (auto it = std::lower_bound(ends.begin(), ends.end(), End{link, 0});
         it != ends.end() && it->link == link; ++it)
      if (!std::exchange(it->taken, true)) visit(it->row);
  }

  std::vector<End> starts_, ends_;
};

}  // namespace laptime
