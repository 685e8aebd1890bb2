// What the op recorder keeps in this library. The followers of memory look at it too: most blocks
// come and go inside of ops.
#pragma once

#include "collect/torch/op_callbacks.h"

namespace laptime_shim {

// One cache line holds what every op looks at.
extern __attribute__((visibility("hidden"))) laptime::torch::OpHost op_host;
// Null: no op of the calling thread was recorded yet.
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) __thread laptime::torch::OpThread* op_thread;

}  // namespace laptime_shim
