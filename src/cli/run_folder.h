// Where a run is recorded: NAME.lap.d/ while the program runs, NAME.lap afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/child.h"
#include "format/facts.h"
#include "format/part_folder.h"

namespace laptime {

class RunFolder {
 public:
  // Makes the folder and holds it until the run is sealed. Another run that uses the name keeps it, and this one gets the
  // next free name; a run that was killed before it was sealed is kept under another name. Both are one line on stderr.
  // Errors before anything runs: FILE is a directory, the place cannot be written.
  static Result<RunFolder> prepare(const std::string& file);

  const std::string& file() const { return file_; }
  const std::string& folder() const { return folder_.path(); }  // absolute

  // Seals what the processes recorded together with what was seen from outside; `clock` holds the program's start and end.
  // `is_recorded`: the program should have recorded something. When it fails the folder stays.
  Status seal(const std::vector<std::string>& command, const ChildEnd& end, std::vector<Fact> clock, bool is_recorded);
  // For a program that never ran.
  void remove();

 private:
  RunFolder(std::string file, PartFolder folder) : file_(std::move(file)), folder_(std::move(folder)) {}
  static Result<std::optional<PartFolder>> take(const std::string& file);
  std::string file_;
  PartFolder folder_;
};

// This moment, on the clock that all parts of a run share.
ClockFact clock_now();

}  // namespace laptime
