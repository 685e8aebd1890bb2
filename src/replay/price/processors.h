// The processors that steps and loader workers share with each other, and with whatever else runs
// on the machine.
//
// A thread that computes gets a whole processor while no more than there are processors want to
// run, else its fair share. A thread that only waits (for a disk, say) wants none. An op that
// several threads compute together goes on only while all of them have a processor: the chances
// multiply, and where there are too few processors it loses more than its share. So more workers
// make computing slower once processors run out, and fewer may make it faster.
#pragma once

#include <cstdint>
#include <optional>

#include "replay/input/loader.h"
#include "replay/price/changes.h"
#include "trace/run/run.h"

namespace laptime::replay {

struct Processors {
  double count = 0;                // 0: unknown
  double threads = 1;              // that a step's ops may use
  std::optional<double> fetching;  // of the time that making a batch takes: the share that computes
  std::optional<double> running;   // threads of the machine that ran or wanted to, in the mean
  std::optional<double> used = {};  // processors that a step's ops had, in the mean
};

// As the process that steps and its workers tell it.
Processors find_processors(const Run& run, const Process& process, const LoaderFacts& loader);

// Of a typical step.
struct LoaderLoad {
  double step_ns = 0;     // as recorded
  double compute_ns = 0;  // what it does besides waiting for batches
  double fetch_ns = 0;    // making its batches
  unsigned workers = 0;   // as recorded
};

// By how much longer a step computes beside a worker that computes all the time on another
// processor, expected and at worst. Two programs of bench/advice on 2 processors (pictures): 1.05
// and 1.2.
inline constexpr double kBeside = 0.06, kBesideWorst = 0.2;

// How many times as long computing takes with so many workers as it took in the run.
double slowed_by_workers(const Processors& processors, const LoaderLoad& load, unsigned workers,
                         Outlook outlook);
// The same of making a batch, of which a part computes.
double fetch_slowed(const Processors& processors, double slowed, Outlook outlook);

}  // namespace laptime::replay
