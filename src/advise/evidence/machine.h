// How busy the machine was while the program ran, with the program and with others.
//
// Some of the program's steps count the machine's threads that run or want to run (docs/records.md,
// `torch running`). The others' use is that of the program's processors less that of the program,
// from its start to its end.
#pragma once

#include <optional>
#include <string>

#include "trace/analysis.h"

namespace laptime {

struct Machine {
  double cpus = 0;                // that the program may use; 0: unknown
  std::optional<double> running;  // threads that ran or wanted to, on average
  std::optional<double> used;     // processors that the program used, in the mean
  std::optional<double> others;   // … and that others used

  // Too many threads for the processors, or others used so many processors that the program waited.
  bool is_busy() const { return too_many() || others_matter(); }
  bool too_many() const;
  bool others_matter() const;
  // "machine busy: 4.8 threads for 2 CPUs". Empty if it was not busy.
  std::string sentence() const;
};

// `process`: the process with steps.
Machine find_machine(const Run& run, const Process& process);

}  // namespace laptime
