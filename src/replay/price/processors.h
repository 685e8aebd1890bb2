// The processors that steps and loader workers share with each other and with other programs.
//
// A thread that computes has a whole processor if there are enough for all threads that want to
// run. Else it has its fair share. A thread that only waits, for example for a disk, needs none.
// An op with several threads proceeds only while all of them have a processor. The probabilities
// multiply, so with too few processors it loses more than its share.
// So more workers slow down computing once processors run out, and fewer may speed it up.
#pragma once

#include <cstdint>
#include <optional>

#include "replay/input/loader.h"
#include "replay/price/changes.h"
#include "trace/run/run.h"

namespace laptime::replay {

struct Processors {
  double count = 0;                 // 0: unknown
  double threads = 1;               // that a step's ops may use
  std::optional<double> fetching;   // share of making a batch that computes
  std::optional<double> running;    // threads of the machine that ran or wanted to, on average
  std::optional<double> used = {};  // processors that a step's ops had, on average
};

// From the facts of the process with the steps and of its workers.
Processors find_processors(const Run& run, const Process& process, const LoaderFacts& loader);

// The load of a typical step.
struct LoaderLoad {
  double step_ns = 0;     // as recorded
  double compute_ns = 0;  // the step without waits for batches
  double fetch_ns = 0;    // making its batches
  unsigned workers = 0;   // as recorded
};

// How much longer a step computes beside a worker that computes all the time on another processor,
// expected and at worst. Measured with two programs of bench/advice on 2 processors (pictures):
// 1.05 and 1.2.
inline constexpr double kBeside = 0.06, kBesideWorst = 0.2;

// The slowdown of computing with this number of workers, compared to the run.
double slowed_by_workers(const Processors& processors, const LoaderLoad& load, unsigned workers,
                         Outlook outlook);
// The same for making a batch, which partly computes.
double fetch_slowed(const Processors& processors, double slowed, Outlook outlook);

}  // namespace laptime::replay
