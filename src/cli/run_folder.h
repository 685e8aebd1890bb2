// Where a run is recorded: NAME.lap.d/ while the program runs, NAME.lap afterwards.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/child.h"
#include "format/facts.h"

namespace laptime {

class RunFolder {
 public:
  // Makes the folder, and empties it of what a run that was never sealed left there. Errors before anything runs: FILE is
  // a directory, the place cannot be written, the folder holds something else.
  static Result<RunFolder> prepare(const std::string& file);

  const std::string& file() const { return file_; }
  const std::string& folder() const { return folder_; }  // absolute

  // Seals what the processes recorded together with what was seen from outside; `clock` holds the program's start and end.
  // When it fails the folder stays.
  Status seal(const std::vector<std::string>& command, const ChildEnd& end, std::vector<Fact> clock);
  // For a program that never ran.
  void remove();

 private:
  RunFolder(std::string file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}
  std::string file_, folder_;
};

// This moment, on the clock that all parts of a run share.
ClockFact clock_now();

}  // namespace laptime
