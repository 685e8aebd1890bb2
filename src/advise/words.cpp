#include "advise/words.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/humane.h"

namespace laptime {

namespace {

constexpr std::size_t kLongestQuote = 60;

bool calls(std::string_view source, std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = 0; (at = source.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + name.size();
    if (end < source.size() && source[end] == '(' && (at == 0 || !is_word(source[at - 1])))
      return true;
  }
  return false;
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string counted(double count, const char* one, const char* many) {
  return fmt::format("{} {}",
                     count < 10 && count != std::floor(count) ? fmt::format("{:.1f}", count)
                                                              : fmt::format("{:.0f}", count),
                     count == 1 ? one : many);
}

std::string of_a_step(const Evidence& evidence, double ns) {
  return fmt::format("{} of a step ({})", humane_time(ns), percent(evidence.share(ns)));
}

std::string cited(std::string_view source) {
  if (source.empty()) return "";
  std::size_t cut = std::min(source.size(), kLongestQuote);
  while (cut < source.size() && cut > 0 && (static_cast<unsigned char>(source[cut]) & 0xC0) == 0x80)
    --cut;
  return fmt::format(" `{}{}`", source.substr(0, cut), cut < source.size() ? "…" : "");
}

bool calls_any(std::string_view source, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return calls(source, name); });
}

std::string step_of_phase(std::string_view phase) {
  return phase == "step" ? "step" : fmt::format("{} step", phase);
}

}  // namespace laptime
