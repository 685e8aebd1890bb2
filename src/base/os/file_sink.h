// A file as the destination of a writer's bytes.
#pragma once

#include <sys/types.h>
#include <string>

#include "base/bytes.h"
#include "base/os/file.h"
#include "base/sink.h"
#include "base/status.h"

namespace laptime {

// Writes a temporary file beside the final name and renames it at the end. A reader sees the whole
// file or none, and a failure leaves the old file unchanged. A link stays, and its target is
// replaced. Anything but a regular file (a device, a FIFO, /dev/stdout) is written directly.
//
// Contract: the temporary file is new, has an unpredictable name, and is locked while it is
// written. create() removes temporary files that killed writers of the same file left.
class FileSink final : public Sink {
 public:
  static constexpr mode_t kShared = 0666, kPrivate = 0600;  // before the umask
  static Result<FileSink> create(const std::string& path, mode_t mode = kShared);
  FileSink(FileSink&&) = default;
  ~FileSink() override;
  Status write(ByteView bytes) override;
  Status commit();
  // Like commit(), but when this returns, the file survives a crash of the machine.
  Status commit_durably();

 private:
  FileSink(UniqueFd fd, std::string path, std::string temporary);
  UniqueFd fd_;
  std::string path_, temporary_;  // no temporary: written directly
};

}  // namespace laptime
