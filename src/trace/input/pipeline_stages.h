// The stages of tf.data pipelines, from their spans: one for each place in a pipeline that ran.
//
// A pipeline's long name lists its stages, the last one first: "Iterator::Root::Prefetch::Map".
// Each prefix is the stage around it. Equal long names of a process are one stage, because every
// epoch makes its iterators anew.
//
// Own time is a span's duration less that of the stages inside it on the same thread. Consequence:
// a stage's wait for a stage on another thread is in its own time.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct PipelineStage {
  std::uint32_t process = 0;        // Run::processes
  std::string_view pipeline, name;  // "Iterator::Root::Prefetch", "Prefetch"
  std::uint32_t depth = 0;          // from the outermost stage of the process, which has 0
  // It runs below a stage that works ahead on other threads, so beside the training.
  bool background = false;
  std::uint64_t calls = 0;  // elements
  std::int64_t total_ns = 0, self_ns = 0;
  std::uint64_t buffered_calls = 0;  // that state how many elements are buffered
  double buffered = 0;               // their sum
  std::int64_t parallelism = 1;      // the most that a call states

  // A stage that only hands on what another thread made waits. It does no work.
  bool only_waits() const;
};

// By process, then each stage before those inside it.
std::vector<PipelineStage> find_pipeline_stages(const Run& run);

}  // namespace laptime
