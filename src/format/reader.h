// Opens a run: a sealed NAME.lap, or the NAME.lap.d/ of a program that still runs or died. Both
// return parts of facts and blocks, and callers cannot distinguish them.
//
// Contract: no length, offset or count in a file is trusted. Damaged data are left out and counted
// as a warning. Opening fails only if nothing can be read: not a laptime file, a newer version, no
// readable part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file.h"
#include "base/os/memory_limit.h"
#include "base/status.h"
#include "format/block.h"
#include "format/facts.h"
#include "format/footer.h"

namespace laptime {

class PartFolder;
struct FoundPart;

// A named count of what was dropped, cut or estimated.
struct WarningCount {
  std::string name;
  Severity severity;
  std::uint64_t count;
  std::string message;
};

struct PartContent {
  std::vector<Fact> facts;    // all but warnings; views into RunContent's storage
  std::vector<Block> blocks;  // in order
};

struct UnreadablePart {
  std::string name, problem;
};

struct RunContent {
  std::vector<PartContent> parts;
  std::vector<WarningCount> warnings;
  DetailTree detail;
  ReadBudget budget;  // what reading took so far, and what it may still take
  bool sealed = false;
  std::uint64_t file_bytes = 0;
  std::vector<UnreadablePart> unreadable;  // of a folder

  // Adds to the row with that name, or starts one.
  void count_warning(std::string_view name, Severity severity, std::uint64_t count,
                     std::string_view message);
  // Adds a fact, unless the budget has no room for it and for the loaded run's data about it.
  void add_fact(PartContent& part, const Fact& fact);
  // Keeps bytes alive as long as the content, for views into them.
  ByteView keep(Bytes bytes);

  // Releases the memory of file pages that were read. They are read again when needed.
  void release_pages() const;

  std::vector<MappedFile> maps;
  std::vector<std::unique_ptr<Bytes>> buffers;
};

// Limits the memory that a file's pages take while a run is read. A recording process opens and
// seals its own run within its memory limit, although the run may be far larger.
class PageBudget {
 public:
  explicit PageBudget(const RunContent& run) : run_(run) {}
  // Another `bytes` of the files were read.
  void touch(std::size_t bytes) {
    touched_ += bytes;
    if (touched_ < kReleaseEvery) return;
    run_.release_pages();
    touched_ = 0;
  }

 private:
  static constexpr std::size_t kReleaseEvery = 16u << 20;
  const RunContent& run_;
  std::size_t touched_ = 0;
};

// `path` may name the file or the folder, or the file if only its folder exists.
Result<RunContent> open_run(const std::string& path);

// Reads the readable parts. `unreadable` has the others.
RunContent read_parts(const PartFolder& folder, const std::vector<FoundPart>& found);

// The steps of open_run, separate for tests and fuzzers. `name`: the input's name in errors.
Result<RunContent> read_sealed(ByteView file, const std::string& name);
// Adds the part. An error only if the file is not a part. `look_again` returns the present file: a
// running process may have extended or removed it. `written`: slots elsewhere are empty and are
// skipped.
Status read_part(RunContent& run, ByteView file, const std::string& name,
                 const std::function<Result<ByteView>()>& look_again = {},
                 const WrittenParts& written = {});

}  // namespace laptime
