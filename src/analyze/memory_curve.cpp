#include "analyze/memory_curve.h"

#include "analyze/memory_history.h"
#include "analyze/memory_labels.h"
#include "analyze/reserved_memory.h"

namespace laptime {

namespace {

class CurveMaker {
 public:
  explicit CurveMaker(const MemoryHistory& history)
      : first_(history.first_ns), width_((history.last_ns - history.first_ns) / static_cast<std::int64_t>(kCurvePoints / 2) + 1) {
    history.for_each_change(
        [&](const MemoryBlock& block, bool birth, std::uint64_t live_bytes) { add({birth ? block.born_ns : block.died_ns, live_bytes}); });
    end_stretch();
  }

  std::vector<CurvePoint> take() { return std::move(points_); }

 private:
  void add(const CurvePoint& point) {
    if (!open_ || point.time_ns - stretch_start_ >= width_) {
      end_stretch();
      open_ = true;
      stretch_start_ = first_ + (point.time_ns - first_) / width_ * width_;
      low_ = high_ = point;
    } else if (point.bytes > high_.bytes) {
      high_ = point;
    } else if (point.bytes <= low_.bytes) {
      low_ = point;
    }
  }
  void end_stretch() {
    if (!open_) return;
    const bool rising = low_.time_ns < high_.time_ns;
    points_.push_back(rising ? low_ : high_);
    if (low_.time_ns != high_.time_ns) points_.push_back(rising ? high_ : low_);
  }

  std::int64_t first_, width_;
  bool open_ = false;
  std::int64_t stretch_start_ = 0;
  CurvePoint low_{}, high_{};
  std::vector<CurvePoint> points_;
};

}  // namespace

std::vector<MemoryCurve> memory_curves(const Analysis& analysis) {
  std::vector<MemoryCurve> curves;
  for (const MemoryHistory& history : analysis.memory()) curves.push_back({history.process, history.device, CurveMaker(history).take()});
  return curves;
}

Table memory_curve_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"memory_curve",
              "Memory over time",
              {{"time_ns", ColumnType::integer, Unit::ns}, {"bytes", ColumnType::integer, Unit::bytes}, {"device", ColumnType::text},
               {"reserved_bytes", ColumnType::integer, Unit::bytes}},
              {}};
  for (const MemoryCurve& curve : memory_curves(analysis)) {
    const ReservedMemory reserved(run, curve.process, curve.device);
    for (const CurvePoint& point : curve.points) {
      const auto held = reserved.at(point.time_ns);
      table.rows.push_back({point.time_ns, integer_cell(point.bytes), device_label(run, curve.process, curve.device), held ? integer_cell(*held) : kUnknown});
    }
  }
  return table;
}

}  // namespace laptime
