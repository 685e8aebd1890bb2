#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "advise/evidence/machine.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

// Times the fastest of the same kind: the ops wait for threads that do not run.
constexpr double kMuchSlower = 1.5;
constexpr double kUneven = 2;  // of ops that do not wait, times their fastest
// Of ops at worst, however fast some were. Measured: 1.3 to 3.2 × when the fastest promised more.
constexpr double kMostLeft = 0.75;
// At best, of a fast op: threads that do not exist need not be woken.
constexpr double kNoHandOver = 0.5;

// The processes of the run that train on the CPU during the main phase's steps, and their threads.
struct Computing {
  std::int64_t processes = 0, threads = 0;
};

Computing find_computing(const Evidence& evidence) {
  const auto main_phase = evidence.main_phase().steps();
  const std::int64_t begin = main_phase.front().step.start_ns,
                     end = main_phase.back().step.start_ns + main_phase.back().step.wall_ns;
  const Run& run = evidence.run();
  std::vector<std::int64_t> at_once(run.processes.size());  // time in steps, by process
  for (const Step& step : evidence.analysis().steps())
    at_once[run.tracks[step.track].process] += std::max<std::int64_t>(
        0, std::min(end, step.start_ns + step.wall_ns) - std::max(begin, step.start_ns));
  Computing computing;
  for (std::size_t p = 0; p < at_once.size(); ++p) {
    const Settings settings(run.processes[p].properties);
    if (2 * at_once[p] < end - begin || settings.on_gpu() || !settings.threads) continue;
    ++computing.processes;
    computing.threads += *settings.threads;
  }
  return computing;
}

struct OpTimes {
  double ns = 0, fast_ns = 0;  // per step
};

OpTimes op_times(const Evidence& evidence) {
  OpTimes times;
  for (const StepOp& op : evidence.ops()) times.ns += op.self_ns, times.fast_ns += op.fast_ns;
  return times;
}

// The processors that others leave, for each process of the run.
std::int64_t threads_that_fit(double cpus, const Computing& computing, double others) {
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(
             (cpus - std::min(others, cpus)) /
             static_cast<double>(std::max<std::int64_t>(1, computing.processes))));
}

std::string seen(const Settings& settings, const Computing& computing, const Machine& machine,
                 double cpus) {
  const std::string cpus_text = fmt::format("{:.0f} CPU{}", cpus, cpus == 1 ? "" : "s");
  if (computing.processes > 1)
    return fmt::format("{} processes of this run compute at once with {} of torch's threads on {}",
                       computing.processes, computing.threads, cpus_text);
  if (static_cast<double>(*settings.threads) > cpus)
    return fmt::format("torch computes with {} threads on {}", *settings.threads, cpus_text);
  return fmt::format("torch computes with {} threads, and {:.1f} threads of the machine want {}",
                     *settings.threads, machine.running.value_or(0), cpus_text);
}

std::vector<Finding> find_too_many_threads(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.on_gpu() || settings.optimizers.empty() || !evidence.knows_ops() ||
      !settings.threads || !settings.cpus)
    return {};
  const auto threads = static_cast<double>(*settings.threads),
             cpus = static_cast<double>(*settings.cpus);
  const Computing computing = find_computing(evidence);
  const Machine machine = find_machine(evidence.run(), evidence.process());
  const double together = std::max(threads, static_cast<double>(computing.threads)),
               wanted = std::max(together, machine.running.value_or(0));
  const double others = std::max(0.0, machine.running.value_or(0) - together);
  const std::int64_t fit = threads_that_fit(cpus, computing, others);
  const OpTimes ops = op_times(evidence);
  const bool slowed = ops.ns >= kMuchSlower * ops.fast_ns;
  if (together <= cpus && !(machine.too_many() && threads > 1 && slowed)) return {};
  if (static_cast<double>(fit) >= threads) return {};
  double ns = evidence.host(HostCategory::optimizer).ns;
  for (const HostCategory category :
       {HostCategory::forward, HostCategory::backward, HostCategory::memory})
    ns += evidence.host(category).ns;
  Finding finding{
      "",
      0,
      evidence.share(ns),
      predict(evidence.step_ns(), Part{ns, 0}, {0.3, 0.95}),
      Confidence::low,
      fmt::format(
          "{}, so that threads wait for others that do not run; ops are {}{}.",
          seen(settings, computing, machine, cpus), of_a_step(evidence, ns),
          slowed
              ? fmt::format(", {:.1f} times as long as if each were as fast as its fastest tenth",
                            ops.ns / ops.fast_ns)
              : ""),
      fmt::format("torch.set_num_threads({0}), or OMP_NUM_THREADS={0}{1}", fit,
                  computing.processes > 1 ? ", in each process" : "")};
  if (!slowed) return {finding};
  // At best ops are as fast as the fastest of their kind, or faster because no threads are woken.
  // At worst one thread takes proportionally longer for their work. Other programs on the
  // processors slow down both.
  const double left = ns * ops.fast_ns / ops.ns, rest = evidence.step_ns() - ns;
  const double crowd =
      std::max(1.0, (static_cast<double>(fit * computing.processes) + others) / cpus);
  const double worst = std::clamp(left * kUneven * threads / static_cast<double>(fit) * crowd,
                                  kMostLeft * ns, 0.95 * ns);
  finding.gain = predict(evidence.step_ns(), Range{rest * std::min(1.0, cpus * crowd / wanted) +
                                                       std::min(worst, kNoHandOver * left),
                                                   rest + worst});
  finding.also_faster = "Python gets a processor sooner, too";
  return {finding};
}

}  // namespace

const Rule kTooManyThreads{
    "too-many-threads",
    "More threads than CPUs",
    "a program that trains on the CPU has more torch threads than CPUs that it may use, by "
    "affinity or by a container's quota. The threads of all processes of the run that train at "
    "the same time count. Also if other programs use these CPUs, and ops take at least 1.5 "
    "times as long as the fastest of their kind.",
    "there are enough CPUs, or a GPU computes.",
    "Call `torch.set_num_threads(N)` with the number of CPUs for each process, or set "
    "`OMP_NUM_THREADS=N` in the environment.",
    "if ops take at least 1.5 times as long as the fastest tenth of their kind: at best half of "
    "that fastest time remains. At worst twice that time remains, multiplied by the factor by "
    "which threads get fewer and slowed by other programs, but no less than three quarters of "
    "the time in ops. Otherwise 30 to 95 % of the time in ops remains. The interval is wide "
    "because the gain depends on other programs.",
    find_too_many_threads};

}  // namespace laptime
