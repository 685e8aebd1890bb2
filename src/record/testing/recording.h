// Shared by tests of the recorder: a folder for a recording, and reading the recording back.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "format/reader.h"
#include "laptime/laptime.hpp"

namespace laptime {

namespace fs = std::filesystem;

// Before LLVM 17, AddressSanitizer's allocator does not handle forks. A lock that another thread
// holds at the fork stays locked in the child forever. Such a thread takes it when it begins and
// ends. When it is idle, it sleeps and has its own name.
inline bool other_threads_rest() {
  const std::string self = std::to_string(::getpid());
  std::string own_name;
  std::getline(std::ifstream("/proc/self/comm"), own_name);
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == self) continue;
    std::string stat;
    std::getline(std::ifstream(task.path() / "stat"), stat);  // "TID (name) S …"
    const std::size_t end = stat.rfind(')');
    if (end != std::string::npos &&
        (stat.substr(end + 1, 2) != " S" || stat.find("(" + own_name + ")") != std::string::npos))
      return false;
  }
  return true;
}

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    std::string pattern = (fs::temp_directory_path() / "laptime-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/run.lap";
  }
  ~RecorderTest() override { fs::remove_all(folder_); }

  // Runs `body` in a child process and returns its wait status.
  template <typename Body>
  int in_child(Body body) {
    for (int i = 0; i < 10'000 && !other_threads_rest(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::string folder_, path_;
};

struct Counted {
  std::size_t spans = 0, steps = 0, values = 0, tallies = 0, parts = 0, tracks = 0;
  std::vector<std::string> names;
  std::uint64_t lost = 0;
};

inline Counted count(const std::string& path) {
  auto run = open_run(path);
  EXPECT_TRUE(run) << run.error().message;
  Counted c;
  if (!run) return c;
  c.parts = run->parts.size();
  for (const PartContent& part : run->parts) {
    for (const Fact& fact : part.facts) {
      if (const auto* s = std::get_if<StringFact>(&fact)) c.names.emplace_back(s->text);
      c.tracks += std::holds_alternative<TrackFact>(fact);
    }
    for (const Block& block : part.blocks) {
      SpanColumns spans;
      if (block.summary.table == TableType::values) c.values += block.summary.rows;
      if (block.summary.table == TableType::tallies) c.tallies += block.summary.rows;
      if (block.summary.table != TableType::spans) continue;
      EXPECT_TRUE(decode_block(block, spans));
      for (std::size_t i = 0; i < spans.size(); ++i) {
        c.steps += spans.kind[i] == SpanKind::step;
        c.spans += spans.kind[i] == SpanKind::scope;
        EXPECT_GE(spans.duration[i], 0);
      }
    }
  }
  for (const WarningCount& warning : run->warnings)
    if (warning.name == "buffer_full") c.lost = warning.count;
  return c;
}

inline void scopes(int n) {
  for (int i = 0; i < n; ++i) {
    LAPTIME_SCOPE("work");
  }
}

}  // namespace laptime
