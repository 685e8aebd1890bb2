// The op recorder's state in this library. The followers of memory read it too: most blocks are
// allocated and freed inside of ops.
#pragma once

#include "collect/torch/op_callbacks.h"

namespace laptime_shim {

// One cache line holds what every op reads.
extern __attribute__((visibility("hidden"))) laptime::torch::OpHost op_host;
// Null: no op of the calling thread was recorded yet.
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) __thread laptime::torch::OpThread* op_thread;

}  // namespace laptime_shim
