#include "tables/memory/memory_curve.h"

#include <algorithm>
#include <memory>
#include <string>

#include "tables/memory/memory_labels.h"
#include "trace/analysis.h"
#include "trace/memory/memory_categories.h"
#include "trace/memory/memory_history.h"
#include "trace/memory/reserved_memory.h"

namespace laptime {

namespace {

class CurveMaker {
 public:
  CurveMaker(const MemoryHistory& history, const MemoryCategories& categories)
      : first_(history.first_ns),
        width_((history.last_ns - history.first_ns) / static_cast<std::int64_t>(kCurvePoints / 2) +
               1) {
    std::array<std::uint64_t, kMemoryCategories> live{};
    history.for_each_change([&](const MemoryBlock& block, bool birth, std::uint64_t live_bytes) {
      std::uint64_t& of_its_kind = live[static_cast<std::size_t>(categories.category_of(block))];
      of_its_kind = birth ? of_its_kind + block.bytes : of_its_kind - block.bytes;
      add({birth ? block.born_ns : block.died_ns, live_bytes, live});
    });
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

std::string column_of(MemoryCategory category) {
  std::string name = category_name(category);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name + "_bytes";
}

}  // namespace

std::vector<MemoryCurve> memory_curves(const Analysis& analysis) {
  std::vector<MemoryCurve> curves;
  std::unique_ptr<MemoryCategories> categories;  // of a process, whose devices follow each other
  for (const MemoryHistory& history : analysis.memory()) {
    if (curves.empty() || curves.back().process != history.process)
      categories =
          std::make_unique<MemoryCategories>(analysis.run(), analysis.ops(), history.process);
    curves.push_back({history.process, history.device, CurveMaker(history, *categories).take()});
  }
  return curves;
}

Table memory_curve_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"memory_curve",
              "Memory over time",
              {{"time_ns", ColumnType::integer, Unit::ns},
               {"bytes", ColumnType::integer, Unit::bytes},
               {"device", ColumnType::text},
               {"reserved_bytes", ColumnType::integer, Unit::bytes}},
              {}};
  for (std::size_t i = 0; i < kMemoryCategories; ++i)
    table.columns.push_back(
        {column_of(static_cast<MemoryCategory>(i)), ColumnType::integer, Unit::bytes});
  for (const MemoryCurve& curve : memory_curves(analysis)) {
    const ReservedMemory reserved(run, curve.process, curve.device);
    for (const CurvePoint& point : curve.points) {
      const auto held = reserved.at(point.time_ns);
      Row row{point.time_ns, integer_cell(point.bytes),
              device_label(run, curve.process, curve.device),
              held ? integer_cell(*held) : kUnknown};
      for (const std::uint64_t bytes : point.by_category) row.push_back(integer_cell(bytes));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace laptime
