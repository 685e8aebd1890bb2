// Torch's callbacks belong to the whole process. They are on while at least one request for ops
// exists, with the details that any of the requests needs.
//
// A forked child has no requests. Contract: any thread may call, with or without the GIL. Nothing
// throws.
#pragma once

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

class OpRequest {
 public:
  OpRequest(const OpShim& shim, bool inputs, bool frames)
      : shim_(shim), inputs_(inputs), frames_(frames) {}

  // False if torch refused.
  bool on() const;
  bool off() const;

 private:
  friend class OpRequests;
  const OpShim& shim_;
  const bool inputs_, frames_;
};

// A shim's callbacks are tested. Until the test ends, all requests wait.
void begin_trial();
void end_trial(const OpShim& tried);

// Registers the fork handlers of the requests. Contract: called before any caller that holds a lock
// of its own around a request while the process forks.
void prepare_requests();

}  // namespace laptime::torch
