#include "trace/run/nesting.h"

namespace laptime {

std::vector<std::uint32_t> end_order(const SpanColumns& spans) {
  const auto out_of_order = [&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t end_a = spans.end(a), end_b = spans.end(b);
    return end_a != end_b ? end_a > end_b : spans.start[a] < spans.start[b];
  };
  std::vector<std::uint32_t> order;
  bool sorted = true;
  for (std::uint32_t i = 1; i < spans.size() && sorted; ++i)
    sorted = spans.end(i - 1) <= spans.end(i);
  if (sorted) return order;
  order.resize(spans.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return out_of_order(b, a); });
  return order;
}

}  // namespace laptime
