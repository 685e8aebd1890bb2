// Runs in which spans cross each other: for tests of what must hold for any records.
#pragma once

#include <random>

#include "trace/testing/op_runs.h"

namespace laptime {

struct OddRun {
  std::uint32_t seed = 0;
  std::int64_t steps = 12;
  bool compiles = true;
};

// Rows cross each other and the steps' ends, on three threads. If the seed is even, there is also a
// GPU.
inline OpRun odd_run(const OddRun& odd) {
  std::mt19937 random(odd.seed);
  OpRun t;
  t.run.processes[0].properties["python"] = "3.11";
  t.add_thread();
  t.add_thread();
  const std::uint32_t stream = t.add_stream(0, 7);
  const SpanKind kinds[] = {SpanKind::op,        SpanKind::backward, SpanKind::annotation,
                            SpanKind::optimizer, SpanKind::gc,       SpanKind::loader,
                            SpanKind::allocate,  SpanKind::scope,    SpanKind::scope,
                            SpanKind::launch,    SpanKind::sync,     SpanKind::dispatch,
                            SpanKind::wait,      SpanKind::stage,    SpanKind::compile};
  const std::string_view names[] = {"aten::mm",        "aten::copy_", "Optimizer.step#SGD.step",
                                    "MulBackward0",    "checkpoint",  "gloo:all_reduce",
                                    "c10d::allreduce_"};
  const auto spread = static_cast<std::uint32_t>(odd.steps * 80);
  for (std::int64_t i = 0; i < odd.steps * 12; ++i)
    t.add(random() % 3, {static_cast<std::int64_t>(random() % spread) - 20,
                         static_cast<std::int64_t>(random() % 60), names[random() % 7],
                         kinds[random() % (odd.compiles ? 15 : 14)], 1 + random() % 40});
  // Half of the launches are recorded, some for blocking copies.
  for (std::uint32_t i = 0; odd.seed % 2 == 0 && i < 80; ++i)
    t.add(stream, {i * 12, 10, i % 3 == 0 ? "Memcpy HtoD (Pageable -> Device)" : "a",
                   i % 3 == 0 ? SpanKind::copy : SpanKind::kernel, 1 + i});
  for (std::int64_t start = 0, i = 0; i < odd.steps; ++i) {
    const std::int64_t wall = 20 + static_cast<std::int64_t>(random() % 100);
    t.add_step(0, start, wall, static_cast<int>(random() % 3) - 1,
               i % 4 == 3 ? "validation" : "train");
    start += wall + static_cast<std::int64_t>(random() % 2 * 7);
  }
  return t;
}

}  // namespace laptime
