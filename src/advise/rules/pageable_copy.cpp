#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr double kLeastBytes = 64 * 1024;  // per copy; rule tiny-copies covers smaller ones

bool is_to_gpu(const StepWork& work) {
  return work.kind == SpanKind::copy && work.copy.is_to_gpu();
}

replay::Changes pageable_copy_in_general() {
  replay::Changes changes;
  changes.pinned = true;
  return changes;
}

std::vector<Finding> find_pageable_copy(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  const GpuSteps& gpu = evidence.gpu();
  double host = 0, bytes = 0, calls = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : gpu.work()) {
    if (!is_to_gpu(work) || !work.waits || work.bytes < kLeastBytes * work.calls) continue;
    host += work.host_ns;
    bytes += work.bytes;
    calls += work.calls;
    if (!largest || work.bytes > largest->bytes) largest = &work;
  }
  if (!largest) return {};
  // The host's wait costs time only while the GPU has nothing else to do.
  const double part = std::min(host, gpu.idle_ns() + gpu.part(DeviceCategory::copies).ns);
  const LoaderSettings* loader = evidence.settings().training_loader();
  return {
      {largest->file, largest->line, evidence.share(part), std::nullopt, Confidence::medium,
       fmt::format("Batches go to the GPU from pageable memory, {} in {} a step, and the program "
                   "waits for it: {}.",
                   humane_bytes(bytes), counted(calls, "copy", "copies"),
                   of_a_step(evidence, part)),
       loader && !loader->pin_memory
           ? fmt::format(
                 "DataLoader(…, pin_memory=True) at {}:{}, and batch.to(device, non_blocking=True)",
                 loader->file, loader->line)
           : "tensor.pin_memory() once, and batch.to(device, non_blocking=True)",
       pageable_copy_in_general()}};
}

}  // namespace

const Rule kPageableCopy{
    "pageable-copy",
    "Batches are copied from pageable memory",
    "copies of 64 kB and more to the GPU come from pageable memory or block. The program waits "
    "in them while the GPU has nothing else to do.",
    "copies are pinned and asynchronous, or overlap with computing.",
    "`DataLoader(…, pin_memory=True)` and `batch.to(device, non_blocking=True)`: the copy then "
    "runs beside the program.",
    "by a replay of the run: the copies run at 20 to 55 GB/s, and the program does not wait for "
    "them. At worst the program itself copies each batch into pinned memory, at 8 GB/s. A "
    "dataset that is kept on the GPU needs no copies, which is not counted.",
    find_pageable_copy,
    Meaning::kept,
    pageable_copy_in_general};

}  // namespace laptime
