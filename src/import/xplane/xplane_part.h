// One imported xplane file as a part of a run: its texts, tracks and warnings. Rows go to the
// writer as they come; facts follow at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/status.h"
#include "format/facts.h"
#include "format/writer.h"
#include "import/import_budget.h"
#include "import/xplane/row_queue.h"
#include "xplane/span_row.h"

namespace laptime {

class XplanePart : public SpanTexts {
 public:
  XplanePart(LapWriter& writer, ImportBudget& budget)
      : writer_(writer), budget_(budget), number_(writer.add_part()), rows_(writer, number_) {}

  // 0 for the empty text. A text is copied once, and cut at 64 KiB.
  std::uint32_t text(std::string_view text) override;
  std::uint32_t launch_config(const LaunchConfig& config) override;
  std::uint32_t device(Device device) override;
  std::uint32_t add_track(TrackKind kind, std::uint64_t os_id, std::string_view name);
  // A later value replaces an earlier one.
  void set_property(std::string_view key, std::string_view value);
  void set_property(std::string_view key, std::int64_t value);
  // `key` is static (device_property, format/names.h).
  void set_device_property(Device device, std::string_view key, std::string_view value);
  void set_device_property(Device device, std::string_view key, std::int64_t value) {
    facts_.push_back(DevicePropertyFact{device, key, value});
  }
  // Counts for one name add up. Contract: `name` and `message` are static, and alike for one name.
  void count(const char* name, Severity severity, std::uint64_t more, const char* message);

  // Sets what the moment `ns` of the profile is on the system's clock, if it is a date.
  void set_date(std::int64_t realtime_ns) { date_ = realtime_ns; }

  RowQueue& rows() { return rows_; }
  ImportBudget& budget() { return budget_; }
  bool is_empty() const { return tracks_ == 0; }
  Status finish();

 private:
  struct Warning {
    Severity severity;
    std::uint64_t count;
    const char* message;
  };

  LapWriter& writer_;
  ImportBudget& budget_;
  const std::uint32_t number_;
  RowQueue rows_;
  std::vector<Fact> facts_;
  std::deque<std::string> stored_;  // what texts_ and facts_ refer to
  std::unordered_map<std::string_view, std::uint32_t> texts_;
  std::map<LaunchConfig, std::uint32_t> configs_;
  std::map<Device, std::uint32_t> devices_;
  std::map<std::string, std::variant<std::string, std::int64_t>, std::less<>> properties_;
  std::map<std::string_view, Warning> warnings_;
  std::uint32_t tracks_ = 0;
  std::optional<std::int64_t> date_;
};

}  // namespace laptime
