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
    end_interval();
  }

  std::vector<CurvePoint> take() { return std::move(points_); }

 private:
  void add(const CurvePoint& point) {
    if (!open_ || point.time_ns - interval_start_ >= width_) {
      end_interval();
      open_ = true;
      interval_start_ = first_ + (point.time_ns - first_) / width_ * width_;
      low_ = high_ = point;
    } else if (point.bytes > high_.bytes) {
      high_ = point;
    } else if (point.bytes <= low_.bytes) {
      low_ = point;
    }
  }
  void end_interval() {
    if (!open_) return;
    const bool rising = low_.time_ns < high_.time_ns;
    points_.push_back(rising ? low_ : high_);
    if (low_.time_ns != high_.time_ns) points_.push_back(rising ? high_ : low_);
  }

  std::int64_t first_, width_;
  bool open_ = false;
  std::int64_t interval_start_ = 0;
  CurvePoint low_{}, high_{};
  std::vector<CurvePoint> points_;
};

struct CurveRow {
  const Run& run;
  const MemoryCurve& curve;
  const CurvePoint& point;
  std::optional<std::uint64_t> held;

  std::uint64_t of(MemoryCategory category) const {
    return point.by_category[static_cast<std::size_t>(category)];
  }
};

constexpr ColumnOf<CurveRow> kCurveColumns[] = {
    {"time_ns", Unit::ns, "The moment.", [](auto& r) { return r.point.time_ns; }},
    {"bytes", Unit::bytes, "What was alive.", [](auto& r) { return r.point.bytes; }},
    {"device", "The CPU or the GPU.",
     [](auto& r) { return device_label(r.run, r.curve.process, r.curve.device); }},
    {"reserved_bytes", Unit::bytes, "What torch's caching allocator held.",
     [](auto& r) { return r.held; }},
    {"parameter_bytes", Unit::bytes, "Parameters.",
     [](auto& r) { return r.of(MemoryCategory::parameter); }},
    {"buffer_bytes", Unit::bytes, "Buffers of modules.",
     [](auto& r) { return r.of(MemoryCategory::buffer); }},
    {"gradient_bytes", Unit::bytes, "Gradients.",
     [](auto& r) { return r.of(MemoryCategory::gradient); }},
    {"optimizer_state_bytes", Unit::bytes, "Optimizers' state.",
     [](auto& r) { return r.of(MemoryCategory::optimizer_state); }},
    {"activation_bytes", Unit::bytes, "Activations.",
     [](auto& r) { return r.of(MemoryCategory::activation); }},
    {"input_bytes", Unit::bytes, "Batches.", [](auto& r) { return r.of(MemoryCategory::input); }},
    {"before_steps_bytes", Unit::bytes, "What was allocated before the first step.",
     [](auto& r) { return r.of(MemoryCategory::before_steps); }},
    {"temporary_bytes", Unit::bytes, "All others.",
     [](auto& r) { return r.of(MemoryCategory::temporary); }}};
constexpr TableOf<CurveRow> kMemoryCurve{"memory_curve", kCurveColumns};
}  // namespace

std::vector<MemoryCurve> memory_curves(const Analysis& analysis) {
  std::vector<MemoryCurve> curves;
  std::unique_ptr<MemoryCategories> categories;  // of a process; its devices are adjacent
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
  Table table = kMemoryCurve.empty("Memory over time");
  for (const MemoryCurve& curve : memory_curves(analysis)) {
    const ReservedMemory reserved(run, curve.process, curve.device);
    for (const CurvePoint& point : curve.points)
      kMemoryCurve.add(table, {run, curve, point, reserved.at(point.time_ns)});
  }
  return table;
}

constinit const TableDefinition kMemoryCurveTable = define_table<kMemoryCurve>("memory over time",
                                                                               R"(
There are at most 1,000 points a device, the peak among them. The columns of categories sum to
`bytes`; `memory` explains them.)",
                                                                               memory_curve_table);

}  // namespace laptime
