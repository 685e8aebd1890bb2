// Where a writer's bytes go. Writers take a sink, so that tests can look at the bytes and no writer knows of files.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/file.h"
#include "base/status.h"

namespace laptime {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status write(ByteView bytes) = 0;
};

class MemorySink final : public Sink {
 public:
  Status write(ByteView bytes) override {
    data.insert(data.end(), bytes.begin(), bytes.end());
    return {};
  }
  Bytes data;
};

// Writes beside the final name and renames at the end: a reader sees the whole file or none, and a failure leaves the
// old file as it was.
class FileSink final : public Sink {
 public:
  static Result<FileSink> create(const std::string& path);
  FileSink(FileSink&&) = default;
  ~FileSink() override;
  Status write(ByteView bytes) override;
  Status commit();

 private:
  FileSink(UniqueFd fd, std::string path, std::string temporary);
  UniqueFd fd_;
  std::string path_, temporary_;
};

}  // namespace laptime
