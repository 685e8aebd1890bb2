// The texts that describe GPU work in an xplane: words "key:value".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/copy_info.h"
#include "format/facts.h"

namespace laptime {

// "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:256,1,1 occ_pct:100"; nothing without
// a grid and a block.
std::optional<LaunchConfig> launch_config_of(std::string_view kernel_details);

struct CopyDetails {
  CopyInfo copy;
  std::uint64_t bytes = 0;
};
// "kind_src:pinned kind_dst:device size:4096 dest:0 async:1", and the event's name: "MemcpyH2D". Of
// a fill the kinds are one: "kind:device size:4096 async:1".
CopyDetails copy_details_of(std::string_view details, std::string_view event_name);

}  // namespace laptime
