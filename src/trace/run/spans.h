// The spans of a track. Facts that collectors record beside time and name are typed columns.
#pragma once

#include <cstdint>

#include "format/columns.h"
#include "format/copy_info.h"
#include "trace/run/side_column.h"

namespace laptime {

struct SpanPayloads {
  SideColumn<std::uint32_t> call_site;      // Run::call_sites, never 0
  SideColumn<std::uint64_t> bytes;          // of a copy, a fill, a block of memory
  SideColumn<CopyInfo> copy;                // of a copy or fill
  SideColumn<std::uint32_t> launch_config;  // of a kernel: Run::launch_configs, never 0
  SideColumn<std::int64_t> autograd;        // of a launch: LaunchNode
  SideColumn<std::uint64_t> graph_node;     // GraphNodeLink
  SideColumn<std::uint32_t> device;         // Run::strings; absent for the CPU
  SideColumn<std::uint32_t> shapes, types;  // of an op's inputs: Run::strings
  SideColumn<std::uint64_t> flops;          // of an op
  SideColumn<std::int64_t> samples, ops;    // of a step

  // Calls visit(column of this, same column of other) for each.
  template <typename Self, typename Other, typename Visit>
  static void for_each(Self& self, Other& other, Visit visit) {
    visit(self.call_site, other.call_site);
    visit(self.bytes, other.bytes);
    visit(self.copy, other.copy);
    visit(self.launch_config, other.launch_config);
    visit(self.autograd, other.autograd);
    visit(self.graph_node, other.graph_node);
    visit(self.device, other.device);
    visit(self.shapes, other.shapes);
    visit(self.types, other.types);
    visit(self.flops, other.flops);
    visit(self.samples, other.samples);
    visit(self.ops, other.ops);
  }
};

// `args` holds only arguments whose keys are strings.
struct Spans : SpanColumns, SpanPayloads {};

}  // namespace laptime
