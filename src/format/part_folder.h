// The folder of a run that is not sealed, NAME.lap.d/: which parts are in it, whether their
// processes still write, and how parts are removed.
//
// Contract: only parts are ever removed, recognised by name and header, never through a link.
// Whatever else is in the folder stays, and then the folder stays. The folder itself may be a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/os/file.h"
#include "base/status.h"

namespace laptime {

// Beside the parts: what processes of the run leave for each other. It is nothing of the run's.
inline constexpr const char* kSharedFile = "shared";

struct FoundPart {
  std::string name;  // in the folder
  std::uint32_t pid;
  bool is_live;           // its process still writes
  bool has_begun = true;  // false: its process has not written the header yet, or died before
};

// PID-HEX.part, which no other process uses, even after exec or with a recycled pid.
std::string new_part_name();

// A process that could not make its part. It leaves a symbolic link, which needs neither a
// descriptor nor a block of the disk; the link's target is the cause.
struct MissingPart {
  std::string name;  // in the folder
  std::string cause;
};
void leave_missing_part(const std::string& folder, const std::string& cause);

class PartFolder {
 public:
  // Makes the folder if it is not there, for its owner only.
  static Result<PartFolder> make(const std::string& path);
  static Result<PartFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  // Held until this object ends. False: somebody else holds it, or the folder was removed or
  // replaced meanwhile.
  bool lock();
  // False if it was removed, renamed or replaced.
  bool is_there() const;
  std::vector<FoundPart> parts() const;
  std::vector<MissingPart> missing() const;
  // Marks the part as sealed: a process that still writes to it stops without a message.
  void remove(const FoundPart& part) const;
  void remove(const MissingPart& part) const;
  // The file kSharedFile, if it is there.
  void remove_shared() const;
  // If no process's part is left in it and it is no link; with the file that the processes shared
  // (kSharedFile).
  void remove_if_empty() const;

 private:
  PartFolder(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

// The first of train.2.lap, train.3.lap … of which there is neither the file nor the folder.
std::string free_run_name(const std::string& file);

// Renames the folder of `file`, which holds a run that was never sealed, so that a new run can use
// the name. Returns the run's name from now on.
Result<std::string> keep_unsealed(const std::string& file);
// What a user should know then.
std::string kept_line(const std::string& file, const std::string& kept_as);

}  // namespace laptime
