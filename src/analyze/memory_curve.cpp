#include "analyze/memory_curve.h"

#include <algorithm>

#include "analyze/memory_labels.h"
#include "analyze/memory_replay.h"

namespace laptime {

namespace {

struct TimeRange {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
};

TimeRange range_of_marks(const Run& run, std::uint32_t process) {
  TimeRange range;
  for (const Track& track : run.tracks) {
    if (track.process != process) continue;
    for (std::size_t row = 0; row < track.spans.size(); ++row) {
      if (!is_mark(track.spans.kind[row])) continue;
      range.first = std::min(range.first, track.spans.start[row]);
      range.last = std::max(range.last, track.spans.start[row]);
    }
  }
  return range;
}

class CurveMaker : public MemoryObserver {
 public:
  CurveMaker(std::uint32_t process, TimeRange range)
      : process_(process), first_(range.first), width_((range.last - range.first) / static_cast<std::int64_t>(kCurvePoints / 2) + 1) {}

  void born(const DeviceMemory& memory, const MemoryBlock& block) { add(memory, block.born_ns); }
  void died(const DeviceMemory& memory, const MemoryBlock&, const MemoryEvent& release) { add(memory, release.time_ns); }

  void move_curves_to(std::vector<MemoryCurve>& curves) {
    for (Device& device : devices_) {
      device.end_stretch();
      if (!device.curve.points.empty()) curves.push_back(std::move(device.curve));
    }
  }

 private:
  struct Device {
    MemoryCurve curve{};
    std::int64_t stretch = -1;
    CurvePoint low{}, high{};

    void end_stretch() {
      if (stretch < 0) return;
      const bool rising = low.time_ns < high.time_ns;
      curve.points.push_back(rising ? low : high);
      if (low.time_ns != high.time_ns) curve.points.push_back(rising ? high : low);
    }
  };

  void add(const DeviceMemory& memory, std::int64_t time_ns) {
    if (memory.number >= devices_.size()) devices_.resize(memory.number + 1);
    Device& device = devices_[memory.number];
    device.curve.process = process_;
    device.curve.device = memory.device;
    const CurvePoint point{time_ns, memory.live_bytes};
    if (const std::int64_t stretch = (time_ns - first_) / width_; stretch != device.stretch) {
      device.end_stretch();
      device.stretch = stretch;
      device.low = device.high = point;
    } else if (point.bytes > device.high.bytes) {
      device.high = point;
    } else if (point.bytes <= device.low.bytes) {
      device.low = point;
    }
  }

  std::uint32_t process_;
  std::int64_t first_, width_;
  std::vector<Device> devices_;
};

}  // namespace

std::vector<MemoryCurve> memory_curves(const Run& run) {
  std::vector<MemoryCurve> curves;
  for (std::uint32_t process = 0; process < run.processes.size(); ++process) {
    const TimeRange range = range_of_marks(run, process);
    if (range.first > range.last) continue;
    CurveMaker maker(process, range);
    MemoryReplay(run, maker).play(process);
    maker.move_curves_to(curves);
  }
  return curves;
}

Table memory_curve_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"memory_curve",
              "Memory over time",
              {{"time_ns", ColumnType::integer, Unit::ns}, {"bytes", ColumnType::integer, Unit::bytes}, {"device", ColumnType::text}},
              {}};
  for (const MemoryCurve& curve : memory_curves(run))
    for (const CurvePoint& point : curve.points)
      table.rows.push_back({point.time_ns, integer_cell(point.bytes), device_label(run, curve.process, curve.device)});
  return table;
}

}  // namespace laptime
