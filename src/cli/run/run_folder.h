// The folder of a run: NAME.lap.d/ while the program runs, sealed to NAME.lap afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/run/child.h"
#include "cli/run/machine_load.h"
#include "format/facts.h"
#include "format/part_folder.h"

namespace laptime {

class RunFolder {
 public:
  struct Outcome {
    const std::vector<std::string>& command;
    const ChildEnd& end;
    bool should_have_recorded;
    mode_t mode;                              // of the sealed run
    std::optional<MachineLoad> machine = {};  // while it ran
  };
  // Creates the folder and holds it until the run is sealed. If another run uses the name, this run
  // gets the next free name. A run that was killed before it was sealed is kept under another name.
  // Both cases print one line on stderr. Fails before anything runs: FILE is a directory, or the
  // place cannot be written.
  static Result<RunFolder> prepare(const std::string& file);

  const std::string& file() const { return file_; }
  const std::string& folder() const { return folder_.path(); }  // absolute

  // Seals the records of all processes, with what was measured from outside. If it fails, the
  // folder remains. `clock`: the program's start and end.
  Status seal(const Outcome& outcome, std::vector<Fact> clock);
  // For a program that did not start.
  void remove();

 private:
  RunFolder(std::string file, PartFolder folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}
  static Result<std::optional<PartFolder>> take(const std::string& file);
  std::string file_;
  PartFolder folder_;
};

// The present moment on the clock that all parts of a run share.
ClockFact clock_now();

}  // namespace laptime
