// A session of a run as the trace that torch.profiler writes (Kineto's JSON): for chrome://tracing,
// Perfetto, and the readers made for such files, which go by its categories and argument names.
//
// `Ev Idx` and `External id` number the events of this file. Flows `fwdbwd` lead from the last
// forward op of an autograd node to its backward op, `ac2g` from a launch to its kernel.
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
  bool stacks = false;   // each op's line
  bool modules = false;  // and the path of the module that called it
};

Status export_kineto(const Run& run, const TorchEvents& events, const KinetoOptions& options,
                     Sink& sink);

}  // namespace laptime
