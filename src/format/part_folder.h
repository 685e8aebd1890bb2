// The folder of an unsealed run, NAME.lap.d/: its parts, whether their processes still write, and
// their removal.
//
// Contract: only parts are ever removed. They are identified by name and header, never through a
// link. Other files in the folder stay, and then the folder stays. The folder itself may be a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/os/file.h"
#include "base/status.h"

namespace laptime {

// A file beside the parts in which processes of the run share data. It is not a part of the run.
inline constexpr const char* kSharedFile = "shared";

struct FoundPart {
  std::string name;  // in the folder
  std::uint32_t pid;
  bool is_live;           // its process still writes
  bool has_begun = true;  // false: its process has not written the header (yet)
};

// PID-HEX.part. Unique, even after exec or for a recycled pid.
std::string new_part_name();

// A process that could not make its part. It leaves a symbolic link, which needs neither a
// descriptor nor a block of the disk. The link's target is the cause.
struct MissingPart {
  std::string name;  // in the folder
  std::string cause;
};
void leave_missing_part(const std::string& folder, const std::string& cause);

class PartFolder {
 public:
  // Makes the folder if it does not exist, accessible only to its owner.
  static Result<PartFolder> make(const std::string& path);
  static Result<PartFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  // Locked until this object is destroyed. False: another process has the lock, or the folder was
  // removed or replaced meanwhile.
  bool lock();
  // False if it was removed, renamed or replaced.
  bool is_there() const;
  std::vector<FoundPart> parts() const;
  std::vector<MissingPart> missing() const;
  // Marks the part as sealed: a process that still writes to it stops without a message.
  void remove(const FoundPart& part) const;
  void remove(const MissingPart& part) const;
  // Removes the file kSharedFile, if it exists.
  void remove_shared() const;
  // Removes the folder, with kSharedFile, if it contains no part and is not a link.
  void remove_if_empty() const;

 private:
  PartFolder(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

// The first of train.2.lap, train.3.lap … for which neither the file nor the folder exists.
std::string free_run_name(const std::string& file);

// Renames the folder of `file`, which holds an unsealed run, so that a new run can use the name.
// Returns the old run's new name.
Result<std::string> keep_unsealed(const std::string& file);
// The message to the user about that.
std::string kept_line(const std::string& file, const std::string& kept_as);

}  // namespace laptime
