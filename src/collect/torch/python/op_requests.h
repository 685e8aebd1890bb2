// Torch's callbacks are one for the process: on as long as anybody requests for ops, with the
// details that one of those asked for.
//
// A forked child has none of its parent's requests.
// Contract: any thread may call, with the GIL or without; nothing throws.
#pragma once

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

class OpRequest {
 public:
  OpRequest(const OpShim& shim, bool inputs, bool frames)
      : shim_(shim), inputs_(inputs), frames_(frames) {}

  // False when torch refused.
  bool on() const;
  bool off() const;

 private:
  friend class OpRequests;
  const OpShim& shim_;
  const bool inputs_, frames_;
};

// A shim's callbacks are tried out: until the end of that all requests wait.
void begin_trial();
void end_trial(const OpShim& tried);

// What a process that forks needs of the requests is in place. Called before anything that is to
// hold a lock of its own around a request while the process forks.
void prepare_requests();

}  // namespace laptime::torch
