// Calls of modules as rows of a trace, for readers that show modules (TensorBoard's module view).
//
// A module's call lasts from the first op that began in it to the end of the last one. Modules that
// run no op have no row. Calls of one module with no op of another module, of the program or of
// backward between them are one row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/torch/torch_events.h"

namespace laptime {

struct ModuleRow {
  std::string path;  // "Net.features.0"
  std::int64_t start_ns, duration_ns;
  std::uint32_t track;
  std::uint32_t id, parent;  // of the call, from 1; parent 0: none
  std::uint32_t module;      // the same for all calls of one path
};

// In the order of `id`: an outer call before those it contains. Contract: `events` have their
// call sites.
std::vector<ModuleRow> module_rows(const Run& run, const std::vector<TorchEvent>& events);

}  // namespace laptime
