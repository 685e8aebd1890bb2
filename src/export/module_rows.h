// Calls of modules as rows of a trace, for readers such as TensorBoard's module view.
//
// A module's call lasts from its first op to its last one. Modules without ops have no row.
// Consecutive calls of one module are one row, unless an op of another module, of the program or of
// backward is in between.
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
  std::uint32_t module;      // equal for all calls of one path
};

// In the order of `id`: outer calls before inner ones. Contract: `events` have their call sites.
std::vector<ModuleRow> module_rows(const Run& run, const std::vector<TorchEvent>& events);

}  // namespace laptime
