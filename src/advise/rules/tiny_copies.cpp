#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "trace/gpu/gpu_work.h"

namespace laptime {

namespace {

constexpr double kFewestCalls = 8;  // a step

replay::Changes tiny_copies_in_general() {
  replay::Changes changes;
  changes.packed = true;
  return changes;
}

std::vector<Finding> find_tiny_copies(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  const GpuSteps& gpu = evidence.gpu();
  double host = 0, calls = 0;
  const StepWork* most = nullptr;
  for (const StepWork& work : gpu.work()) {
    if (work.kind != SpanKind::copy || !work.copy.is_transfer() ||
        work.bytes > static_cast<double>(kSmallCopy) * work.calls)
      continue;
    host += work.host_ns;
    calls += work.calls;
    if (!most || work.calls > most->calls) most = &work;
  }
  if (!most || calls < kFewestCalls) return {};
  const double part = std::min(host, gpu.idle_ns());
  return {{most->file, most->line, evidence.share(part), std::nullopt, Confidence::medium,
           fmt::format("{:.0f} copies of less than 4 kB go between CPU and GPU in every step: {} "
                       "for a few bytes.",
                       calls, of_a_step(evidence, part)),
           "Make small tensors on the GPU (device=\"cuda\"), or pack them into one and copy that",
           tiny_copies_in_general()}};
}

}  // namespace

const Rule kTinyCopies{
    "tiny-copies",
    "Many tiny copies to and from the GPU",
    "each step makes at least 8 copies of less than 4 kB between CPU and GPU while the GPU is "
    "idle.",
    "there are few, or the GPU is always busy.",
    "Create small tensors on the device that uses them (`torch.zeros(…, device=\"cuda\")`). "
    "Stack numbers and copy once.",
    "by a replay of the run: 10 to 50 % remains of these copies and of the host's time in the "
    "calls that make them. The program no longer waits for them; at worst every other wait "
    "stays.",
    find_tiny_copies,
    Meaning::kept,
    tiny_copies_in_general};

}  // namespace laptime
