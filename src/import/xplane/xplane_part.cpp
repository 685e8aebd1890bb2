#include "import/xplane/xplane_part.h"

#include "format/part.h"

namespace laptime {

namespace {

// Parts of several files are put onto one clock, which counts from 2025: a run's times may be 18
// years from its zero.
constexpr std::int64_t kClockZero = 1'735'689'600'000'000'000;
constexpr std::int64_t kMostFromZero = std::int64_t{1} << 58;

// Longer texts are cut, because a frame of facts has a limit.
constexpr std::size_t kLongestText = 64u << 10;

// Estimates for the budget: a text with its hash entry, its fact and its bytes on the way out.
constexpr std::uint64_t kBytesOfText = 256, kBytesOfConfig = 192, kBytesOfTrack = 256;

}  // namespace

std::uint32_t XplanePart::text(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kLongestText);
  if (const auto it = texts_.find(text); it != texts_.end()) return it->second;
  if (!budget_.take(kBytesOfText + 2 * text.size())) return 0;
  const auto id = static_cast<std::uint32_t>(texts_.size() + 1);
  const std::string& kept = stored_.emplace_back(text);
  texts_.emplace(kept, id);
  facts_.push_back(StringFact{id, kept});
  return id;
}

std::uint32_t XplanePart::launch_config(const LaunchConfig& config) {
  const auto [it, is_new] =
      configs_.try_emplace(config, static_cast<std::uint32_t>(configs_.size() + 1));
  if (is_new) {
    budget_.take(kBytesOfConfig);
    facts_.push_back(LaunchConfigFact{it->second, config});
  }
  return it->second;
}

std::uint32_t XplanePart::device(Device device) {
  const auto [it, is_new] = devices_.try_emplace(device, 0);
  if (is_new) {
    it->second = text(device_name(device));
    facts_.push_back(DeviceFact{it->second, device});
  }
  return it->second;
}

std::uint32_t XplanePart::add_track(TrackKind kind, std::uint64_t os_id, std::string_view name) {
  budget_.take(kBytesOfTrack);
  const std::uint32_t id = kFirstThreadTrack + tracks_++;
  facts_.push_back(TrackFact{id, kind, os_id, text(name)});
  return id;
}

void XplanePart::set_property(std::string_view key, std::string_view value) {
  value = value.substr(0, kLongestText);
  budget_.take(kBytesOfText + value.size());
  properties_.insert_or_assign(std::string(key), std::string(value));
}

void XplanePart::set_property(std::string_view key, std::int64_t value) {
  budget_.take(kBytesOfText);
  properties_.insert_or_assign(std::string(key), value);
}

void XplanePart::set_device_property(Device device, std::string_view key, std::string_view value) {
  value = value.substr(0, kLongestText);
  budget_.take(kBytesOfText + value.size());
  facts_.push_back(DevicePropertyFact{device, key, stored_.emplace_back(value)});
}

void XplanePart::count(const char* name, Severity severity, std::uint64_t more,
                       const char* message) {
  if (more == 0) return;
  warnings_.try_emplace(name, Warning{severity, 0, message}).first->second.count += more;
}

Status XplanePart::finish() {
  RETURN_IF_ERROR(rows_.finish());
  if (budget_.exceeded()) return budget_.refusal();
  for (const auto& [key, value] : properties_)
    std::visit([&, k = std::string_view(key)](
                   const auto& v) { facts_.push_back(PropertyFact{k, PropertyValue(v)}); },
               value);
  std::uint32_t index = 0;
  for (const auto& [name, warning] : warnings_)
    facts_.push_back(WarningFact{index++, warning.severity, warning.count, name, warning.message});
  if (date_ && *date_ - kClockZero < kMostFromZero && *date_ - kClockZero > -kMostFromZero)
    facts_.push_back(ClockFact{0, *date_ - kClockZero, *date_});
  return writer_.add_facts(number_, facts_);
}

}  // namespace laptime
