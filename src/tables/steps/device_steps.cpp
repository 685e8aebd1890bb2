#include "tables/steps/device_steps.h"

#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/device_time.h"

namespace laptime {

Table device_steps_table(const Analysis& analysis) {
  Table table{"device_steps",
              "Where each step went on the GPU" +
                  from_recorded_steps(analysis.steps(), analysis.device_steps().left_out.size()),
              {{"step", ColumnType::integer},
               {"phase", ColumnType::text},
               {"kind", ColumnType::text},
               {"device", ColumnType::integer},
               {"start_ns", ColumnType::integer, Unit::ns},
               {"wall_ns", ColumnType::integer, Unit::ns}},
              {}};
  // In the order of DeviceCategory.
  for (const char* name :
       {"compute_ns", "communication_ns", "copies_ns", "idle_input_ns", "idle_sync_ns",
        "idle_launches_ns", "idle_other_ns", "communication_overlapped_ns", "copies_overlapped_ns"})
    table.columns.push_back({name, ColumnType::integer, Unit::ns});
  table.columns.push_back({"thread", ColumnType::text});
  const Run& run = analysis.run();
  for (const DeviceStep& s : analysis.device_steps().all) {
    Row row{integer_cell(s.step.number),
            std::string(run.strings[s.step.phase]),
            kind_name(s.step.kind),
            integer_cell(s.device),
            s.step.start_ns,
            s.step.wall_ns};
    for (const std::int64_t ns : s.exposed) row.push_back(ns);
    for (const DeviceCategory category : {DeviceCategory::communication, DeviceCategory::copies})
      row.push_back(s.overlapped[static_cast<std::size_t>(category)]);
    row.push_back(thread_label(run, run.tracks[s.step.track]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace laptime
