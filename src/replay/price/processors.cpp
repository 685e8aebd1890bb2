#include "replay/price/processors.h"

#include <algorithm>
#include <cmath>

#include "format/names.h"
#include "trace/run/properties.h"

namespace laptime::replay {

namespace {

constexpr int kRounds = 32;             // until the step's length agrees with what runs in it
constexpr double kTurns = 2;            // that a thread waits for: its own and another's
constexpr double kOthersMayDiffer = 2;  // by this factor from the counted value

// The share of the workers' fetches in which their processes computed.
std::optional<double> computed_by_workers(const Run& run, const LoaderFacts& loader) {
  double cpu = 0;
  for (const std::uint32_t track : loader.worker_tracks) {
    const auto own = property_number<double>(run.processes[run.tracks[track].process].properties,
                                             property::kCpuNs);
    if (!own) return std::nullopt;
    cpu += *own;
  }
  return loader.fetches_ns > 0 ? std::optional(cpu / static_cast<double>(loader.fetches_ns))
                               : std::nullopt;
}

// If unknown: at best workers only wait.
double share_that_computes(const Processors& processors, Outlook outlook) {
  return processors.fetching.value_or(outlook == Outlook::best ? 0 : 1);
}

struct Sharing {
  double processors;
  const LoaderLoad& load;
  unsigned workers;
  double computes;  // share of a fetch
  double used;      // by the step while it computes: threads that must run at the same time

  // How many of the program's threads run or want to run, on average.
  double wanted(double step_ns, double slowed) const {
    return slowed * (load.compute_ns * used + load.fetch_ns * computes) / step_ns;
  }
  double slowed(double others) const {
    // The share of its possible speed. If one thread of a step waits, all do. While one has its
    // turn, all of them run.
    const auto share = [&](double own) {
      const double fair = std::min(1.0, processors / std::max(own + others, 1e-9));
      return std::max(std::pow(fair, used), fair < 1 ? fair / kTurns : 1);
    };
    double slowed = 1;
    for (int round = 0; round < kRounds; ++round) {
      const double compute = load.compute_ns * slowed,
                   fetch = load.fetch_ns * (1 - computes + computes * slowed);
      const double step = workers == 0 ? compute + fetch : std::max(compute, fetch / workers);
      slowed = (slowed + share(wanted(load.step_ns, 1)) / share(wanted(step, slowed))) / 2;
    }
    return slowed;
  }
};

}  // namespace

Processors find_processors(const Run& run, const Process& process, const LoaderFacts& loader) {
  Processors processors;
  processors.count = property_number<double>(process.properties, property::kCpus).value_or(0);
  processors.threads =
      property_number<double>(process.properties, property::kTorchThreads).value_or(1);
  processors.running = property_number<double>(process.properties, property::kTorchRunning);
  processors.used = property_number<double>(process.properties, property::kTorchStepCpus);
  const auto share = loader.workers > 0
                         ? computed_by_workers(run, loader)
                         : property_number<double>(process.properties, property::kTorchInputCpu);
  // A step that is not interrupted computes all the time: what it lacks, batches made meanwhile
  // lack too.
  const double had =
      property_number<double>(process.properties, property::kTorchStepCpu).value_or(1);
  if (share && had > 0) processors.fetching = std::clamp(*share / had, 0.0, 1.0);
  return processors;
}

double slowed_by_workers(const Processors& processors, const LoaderLoad& load, unsigned workers,
                         Outlook outlook) {
  if (processors.count <= 0 || load.compute_ns <= 0 || load.step_ns <= 0) return 1;
  const double most = std::max(1.0, std::min(processors.threads, processors.count));
  const double used =
      outlook == Outlook::worst ? most : std::clamp(processors.used.value_or(1), 1.0, most);
  const Sharing sharing{processors.count, load, workers, share_that_computes(processors, outlook),
                        used};
  const double own = sharing.wanted(load.step_ns, 1),
               others = std::max(0.0, processors.running.value_or(0) - own);
  // Work on the next processor takes caches, memory bandwidth and clock speed from the step.
  const double beside = processors.count < 2
                            ? 0
                            : ((workers > 0) - (load.workers > 0)) * sharing.computes *
                                  std::min(1.0, load.fetch_ns / load.compute_ns);
  const double expected = sharing.slowed(others) * (1 + kBeside * beside);
  if (outlook == Outlook::best) return std::min(expected, sharing.slowed(0));
  // The step suffers most if others leave the program exactly its own processors.
  if (outlook == Outlook::worst)
    return (1 + kBesideWorst * std::max(0.0, beside)) *
           std::max(sharing.slowed(others),
                    sharing.slowed(std::clamp(processors.count - own, others / kOthersMayDiffer,
                                              others * kOthersMayDiffer)));
  return expected;
}

double fetch_slowed(const Processors& processors, double slowed, Outlook outlook) {
  const double computes = share_that_computes(processors, outlook);
  return 1 - computes + computes * slowed;
}

}  // namespace laptime::replay
