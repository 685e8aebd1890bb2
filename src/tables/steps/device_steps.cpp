#include "tables/steps/device_steps.h"

#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/device_time.h"

namespace laptime {

namespace {

struct DeviceStepRow {
  const Run& run;
  const DeviceStep& step;
};

template <DeviceCategory category>
std::int64_t exposed(const DeviceStepRow& row) {
  return row.step.exposed[static_cast<std::size_t>(category)];
}
template <DeviceCategory category>
std::int64_t overlapped(const DeviceStepRow& row) {
  return row.step.overlapped[static_cast<std::size_t>(category)];
}

constexpr ColumnOf<DeviceStepRow> kDeviceStepColumns[] = {
    {"step", "The step's number.", [](auto& r) { return r.step.step.number; }},
    {"phase", "Its phase.", [](auto& r) { return r.run.strings[r.step.step.phase]; }},
    {"kind", "As in `steps`.", [](auto& r) { return kind_name(r.step.step.kind); }},
    {"device", "The GPU.", [](auto& r) { return r.step.device; }},
    {"start_ns", Unit::ns, "When the step began.", [](auto& r) { return r.step.step.start_ns; }},
    {"wall_ns", Unit::ns, "How long it took.", [](auto& r) { return r.step.step.wall_ns; }},
    {"compute_ns", Unit::ns, "The GPU computed.",
     [](auto& r) { return exposed<DeviceCategory::compute>(r); }},
    {"communication_ns", Unit::ns, "It communicated and did not compute.",
     [](auto& r) { return exposed<DeviceCategory::communication>(r); }},
    {"copies_ns", Unit::ns, "It copied and did nothing else.",
     [](auto& r) { return exposed<DeviceCategory::copies>(r); }},
    {"idle_input_ns", Unit::ns, "It was idle while the program waited for a batch.",
     [](auto& r) { return exposed<DeviceCategory::idle_input>(r); }},
    {"idle_sync_ns", Unit::ns, "It was idle after the host had waited for it.",
     [](auto& r) { return exposed<DeviceCategory::idle_sync>(r); }},
    {"idle_launches_ns", Unit::ns, "It was idle because the host launched too slowly.",
     [](auto& r) { return exposed<DeviceCategory::idle_launches>(r); }},
    {"idle_other_ns", Unit::ns, "It was idle for another reason.",
     [](auto& r) { return exposed<DeviceCategory::idle_other>(r); }},
    {"communication_overlapped_ns", Unit::ns, "Communication beside something else.",
     [](auto& r) { return overlapped<DeviceCategory::communication>(r); }},
    {"copies_overlapped_ns", Unit::ns, "Copies beside something else.",
     [](auto& r) { return overlapped<DeviceCategory::copies>(r); }},
    {"thread", "The thread that steps.",
     [](auto& r) { return thread_label(r.run, r.run.tracks[r.step.step.track]); }}};
constexpr TableOf<DeviceStepRow> kDeviceSteps{"device_steps", kDeviceStepColumns};

}  // namespace

Table device_steps_table(const Analysis& analysis) {
  Table table = kDeviceSteps.empty(
      "Where each step went on the GPU" +
      from_recorded_steps(analysis.steps(), analysis.device_steps().left_out.size()));
  for (const DeviceStep& step : analysis.device_steps().all)
    kDeviceSteps.add(table, {analysis.run(), step});
  return table;
}

constinit const TableDefinition kDeviceStepsTable =
    define_table<kDeviceSteps>("where each step went on each GPU",
                               R"(
There is one row a recorded step and GPU that worked in any of its phase. Steps that view
`device` of `breakdown` leaves out have none. `compute_ns` to `idle_other_ns` sum to the step's
wall time.)",
                               device_steps_table);

}  // namespace laptime
