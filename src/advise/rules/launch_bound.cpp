#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "format/names.h"

namespace laptime {

namespace {

constexpr double kLeastIdleShare = 0.1;  // of a step
// Per step. With fewer kernels something else keeps the host busy.
constexpr double kFewestKernels = 10;

// The program's own lines without launches: compiling does not make these faster.
double python_without_ops(const Evidence& evidence) {
  double ns = 0;
  for (const PythonLine& line : python_lines(evidence)) ns += line.has_ops ? 0 : line.self.ns;
  return ns;
}

constexpr double kIndexedLeft = 0.7,
                 // Of the host's time, if there are many of them. A compiled graph network took 1.2
                 // times as long.
    kIndexedWorst = 1.5;
constexpr double kIndexed = 4;  // per step; one or two of them select the rows of a batch

// Ops that read or write at data-dependent places. A compiler makes a separate kernel of each, with
// its own guards and shapes.
double ops_by_index(const Evidence& evidence) {
  double calls = 0;
  for (const StepOp& op : evidence.ops()) {
    for (const char* const name :
         {"aten::index", "aten::index_select", "aten::index_add", "aten::index_add_",
          "aten::index_put_", "aten::scatter", "aten::scatter_add", "aten::scatter_add_",
          "aten::scatter_reduce", "aten::gather", "aten::nonzero", "aten::masked_select",
          "aten::repeat_interleave", "aten::_unique2"})
      if (op.name == name) calls += op.calls;
    if (op.name == "aten::embedding") calls -= op.calls;  // it calls index_select
  }
  return calls;
}

bool compiles(const Run& run) {
  return run.strings.find(span_name::kCompile) != StringTable::kNoString;
}

// torch.compile's graphs hold the model's forward and backward. They do not hold the optimizer, nor
// the program's own code.
replay::Changes launch_bound_in_general() {
  replay::Changes changes;
  for (const char* category : {"forward ops", "backward", "memory", "launch"})
    changes.scales.push_back({category, 0.3, 0.1, 0.7});
  return changes;
}

std::vector<Finding> find_launch_bound(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  const GpuSteps& gpu = evidence.gpu();
  double kernels = 0;
  for (const StepWork& work : gpu.work()) kernels += work.kind == SpanKind::kernel ? work.calls : 0;
  Part idle = gpu.part(DeviceCategory::idle_launches);
  idle.ns = std::max(0.0, idle.ns - python_without_ops(evidence));
  if (kernels < kFewestKernels || evidence.share(idle.ns) < kLeastIdleShare) return {};
  // Without ops the host's work between launches is unknown. In a compiled program it is unknown
  // what remains to be compiled.
  const bool compiled = compiles(evidence.run()), replays = !compiled && !evidence.ops().empty();
  const bool uncertain = ops_by_index(evidence) >= kIndexed;
  std::optional<replay::Changes> changes;
  if (replays) changes = launch_bound_in_general();
  if (changes && uncertain)
    for (replay::Scale& scale : changes->scales)
      scale.factor = kIndexedLeft, scale.worst = kIndexedWorst;
  return {
      {"", 0, evidence.share(idle.ns),
       predict(evidence.step_ns(), idle, compiled ? Range{0.05, 0.6} : Range{0.1, 0.7}),
       uncertain ? Confidence::low : Confidence::medium,
       fmt::format("The GPU waits for the CPU to launch work {}: {:.0f} kernels a step, {} each.{}",
                   of_a_step(evidence, idle.ns), kernels, humane_time(gpu.kernel_ns() / kernels),
                   uncertain ? " Many ops index by data, and a compiler may slow them down." : ""),
       compiled ? std::string("torch.compile(model, mode=\"reduce-overhead\"), which replays a "
                              "CUDA graph; shapes must not change")
                : "model = torch.compile(model, mode=\"reduce-overhead\"): a CUDA graph replaces "
                  "the launches, where shapes stay the same" +
                      std::string(evidence.has_batch() ? "; or a larger batch" : ""),
       std::move(changes), std::nullopt, "a compiler also joins kernels"}};
}

}  // namespace

const Rule kLaunchBound{
    "launch-bound",
    "The GPU waits for launches",
    "the GPU is idle for at least a tenth of the step because the next work was not launched "
    "yet.",
    "it is idle for another reason (input, a wait of the host, another stream), a step has "
    "fewer than 10 kernels, or lines of Python without launches take that time (python-line, "
    "reload).",
    "Use `torch.compile(model, mode=\"reduce-overhead\")`: one CUDA graph replaces all "
    "launches, if shapes stay the same. `torch.compile(model)` alone joins kernels and launches "
    "the others one by one. With two small models on an H200 it made steps 6 to 10 % longer. A "
    "larger batch gives each launch more work.",
    "by a replay of the run: 10 to 70 % of the host's time in forward and backward ops remains. "
    "The optimizer and the program's own Python do not change. If a step has at least four ops "
    "that index by data (gather, scatter, index_add; not those of an embedding), 10 to 150 % "
    "remains, and confidence is low. Without op records 30 to 90 % of the idle time is saved, "
    "or 40 to 95 % if the program is already compiled.",
    find_launch_bound,
    Meaning::kept,
    launch_bound_in_general};

}  // namespace laptime
