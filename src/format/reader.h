// Opens a run: a sealed NAME.lap, or the NAME.lap.d/ of a program that still runs or died. Both
// give parts made of facts and blocks; nobody above knows which it was.
//
// Contract: no length, offset or count in a file is trusted. What is damaged is left out and
// counted as a warning; opening fails only when nothing can be told: not a laptime file, a newer
// version, no readable part.
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
  ReadBudget budget;  // what reading took so far, and what may still be taken
  bool sealed = false;
  std::uint64_t file_bytes = 0;
  std::vector<UnreadablePart> unreadable;  // of a folder

  // Adds to the row of that name, or starts one.
  void count_warning(std::string_view name, Severity severity, std::uint64_t count,
                     std::string_view message);
  // Adds a fact, unless the budget has no room for it and for what the model makes of it.
  void add_fact(PartContent& part, const Fact& fact);
  // Keeps bytes alive as long as the content, for views into them.
  ByteView keep(Bytes bytes);

  // Gives back the memory of file pages that were read; they come again when needed.
  void release_pages() const;

  std::vector<MappedFile> maps;
  std::vector<std::unique_ptr<Bytes>> buffers;
};

// Keeps a walk over a run's files from filling memory with their pages: a recording process opens
// and seals its own run within its memory limit, although the run may be far larger.
class PageBudget {
 public:
  explicit PageBudget(const RunContent& run) : run_(run) {}
  // Another `bytes` of the files were looked at.
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

// `path` may name the file, the folder, or the file when only its folder exists.
Result<RunContent> open_run(const std::string& path);

// Those of the parts that can be read; `unreadable` has the others.
RunContent read_parts(const PartFolder& folder, const std::vector<FoundPart>& found);

// The steps of open_run, apart for tests and fuzzers: `name` is what an error calls the input.
Result<RunContent> read_sealed(ByteView file, const std::string& name);
// Adds the part; an error only when the file is no part at all. `look_again` gives the file as it
// is now: that of a process that still runs may have grown, or be gone. `written`: slots elsewhere
// hold nothing, and are not looked at.
Status read_part(RunContent& run, ByteView file, const std::string& name,
                 const std::function<Result<ByteView>()>& look_again = {},
                 const WrittenParts& written = {});

}  // namespace laptime
