#include "replay/price/changes.h"

#include <fmt/format.h>
#include <charconv>

namespace laptime::replay {

namespace {

// A finite number. The texts of infinity and nan are refused.
std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > 1e9)
    return std::nullopt;
  return number;
}

}  // namespace

void Changes::add(const Changes& other) {
  scales.insert(scales.end(), other.scales.begin(), other.scales.end());
  work.insert(work.end(), other.work.begin(), other.work.end());
  no_waits.insert(no_waits.end(), other.no_waits.begin(), other.no_waits.end());
  pinned |= other.pinned;
  packed |= other.packed;
  input_free |= other.input_free;
  launch_free |= other.launch_free;
  any_order |= other.any_order;
  if (other.workers) workers = other.workers;
  batch *= other.batch;
  known_gains.insert(known_gains.end(), other.known_gains.begin(), other.known_gains.end());
  bound.reset();  // it applied to one change alone
}

Changes scale_change(std::string pattern, double factor, double best, double worst) {
  Changes changes;
  changes.scales.push_back({std::move(pattern), factor, best, worst});
  return changes;
}

Changes workers_change(unsigned workers) {
  Changes changes;
  changes.workers = workers;
  return changes;
}

Changes any_order_change() {
  Changes changes;
  changes.any_order = true;
  return changes;
}

Changes work_change(std::function<bool(std::string_view kernel, std::string_view op)> is,
                    double factor, double best, double worst) {
  Changes changes;
  changes.work.push_back({std::move(is), factor, best, worst});
  return changes;
}

Result<Scale> parse_scale(std::string_view text) {
  const std::size_t at = text.rfind('=');
  const auto factor =
      at == std::string_view::npos || at == 0 ? std::nullopt : parse_number(text.substr(at + 1));
  if (!factor)
    return fail(ErrorKind::usage, fmt::format("--scale takes PATTERN=FACTOR, e.g. "
                                              "'aten::conv2d=0.5' or 'train.py:42=0'; '{}' is none",
                                              text));
  return Scale{std::string(text.substr(0, at)), *factor};
}

Result<double> parse_batch(std::string_view text) {
  const auto factor = parse_number(text.ends_with('x') ? text.substr(0, text.size() - 1) : text);
  if (!factor || *factor == 0)
    return fail(ErrorKind::usage,
                fmt::format("--batch takes a factor, e.g. 2x; '{}' is none", text));
  return *factor;
}

std::optional<LinePattern> as_line(std::string_view pattern) {
  const std::size_t at = pattern.rfind(':');
  if (at == std::string_view::npos || at == 0 || at + 1 == pattern.size()) return std::nullopt;
  LinePattern line{std::string(pattern.substr(0, at)), 0};
  const auto [end, error] =
      std::from_chars(pattern.data() + at + 1, pattern.data() + pattern.size(), line.line);
  if (error != std::errc() || end != pattern.data() + pattern.size()) return std::nullopt;
  return line;
}

bool is_file(std::string_view recorded, std::string_view wanted) {
  if (!recorded.ends_with(wanted)) return false;
  return recorded.size() == wanted.size() || recorded[recorded.size() - wanted.size() - 1] == '/';
}

}  // namespace laptime::replay
