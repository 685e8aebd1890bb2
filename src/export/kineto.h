// A session of a run as torch.profiler writes it (Kineto's JSON). For chrome://tracing, Perfetto,
// and readers of such files that depend on its categories and argument names.
//
// `Ev Idx` and `External id` number the events of this file. Flows `fwdbwd` lead from the last
// forward op of an autograd node to its backward op. Flows `ac2g` lead from a launch to its kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/sink.h"
#include "base/status.h"
#include "trace/torch/torch_events.h"

namespace laptime {

struct KinetoOptions {
  std::string trace_name;
  std::vector<std::pair<std::string, std::string>>
      metadata;          // key, JSON value: members of the top object
  bool stacks = false;   // write each op's line
  bool modules = false;  // write the path of the module that called it
};

Status export_kineto(const Run& run, const TorchEvents& events, const KinetoOptions& options,
                     Sink& sink);

}  // namespace laptime
