// How busy the machine was while the program ran, with the program and with others.
//
// What ran or wanted to is counted by the program's own steps, now and then (docs/records.md,
// `torch running`); what others used is what the program's processors did less what the program
// did, from its start to its end.
#pragma once

#include <optional>
#include <string>

#include "trace/analysis.h"

namespace laptime {

struct Machine {
  double cpus = 0;                // that the program may use; 0: unknown
  std::optional<double> running;  // threads that ran or wanted to, in the mean
  std::optional<double> used;     // processors that the program used, in the mean
  std::optional<double> others;   // … and others did

  // More threads than processors, or others on so many of them that the program waited.
  bool is_busy() const { return too_many() || others_matter(); }
  bool too_many() const;
  bool others_matter() const;
  // "machine busy: 4.8 threads for 2 CPUs"; empty: it was not.
  std::string sentence() const;
};

// `process`: that steps.
Machine find_machine(const Run& run, const Process& process);

}  // namespace laptime
