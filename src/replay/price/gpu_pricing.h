// Prices of changes in a run with a GPU: faster kernels, removed waits, copies from pinned memory
// or combined copies, free launches, and a larger batch.
//
// A larger batch, and its uncertainty:
// - Kernels grow in proportion, except for a fixed part each. At best, kernels with fewer blocks
//   than the GPU has multiprocessors do not grow until they fill it.
// - Host ops that launch do not grow. Other ops do.
// - The program's own code grows as far as its lines work on a batch (step_python.h). If lines are
//   unknown, intervals grow that are longer than a framework's time between two ops; at best none.
//
// Pinned memory is read at the speed of a present-day bus. At worst the program itself must copy
// each batch into it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"
#include "replay/price/changes.h"
#include "replay/price/name_match.h"

namespace laptime::replay {

class GpuPricing {
 public:
  // Both outlive this object.
  GpuPricing(const GraphSource& source, const Changes& changes);

  void price(const TaskGraph& graph, Outlook outlook, Prices& prices) const;
  // Patterns of lines without waits that match nothing in this run.
  std::vector<std::string> unknown_patterns() const;

 private:
  struct Calls;  // the launches of a graph's frames
  void scale_work(const TaskGraph& graph, Outlook outlook, Prices& prices) const;
  void pack(const TaskGraph& graph, Outlook outlook, Prices& prices) const;
  void pin(const TaskGraph& graph, const Calls& calls, Outlook outlook, Prices& prices) const;
  void release(const TaskGraph& graph, Prices& prices) const;
  void free_launches(const TaskGraph& graph, const Calls& calls, Outlook outlook,
                     Prices& prices) const;
  void grow(const TaskGraph& graph, const Calls& calls, Outlook outlook, Prices& prices) const;
  std::vector<double> gap_growths(const TaskGraph& graph, Outlook outlook,
                                  const Prices& prices) const;
  double host_growth(const Calls& calls, const Task& task, std::int64_t own, Outlook outlook) const;
  double work_growth(const Task& task, std::int64_t own, Outlook outlook) const;
  bool is_pageable(const Task& task) const;
  bool is_small_transfer(const Task& task) const;
  bool is_named(std::size_t scale, const Task& task) const;

  const GraphSource& source_;
  const Run& run_;
  const Changes& changes_;
  std::vector<NameMatch> waits_;                      // of Changes::no_waits, without "*"
  std::vector<std::optional<NameMatch>> work_lines_;  // by WorkScale: its line
  bool all_waits_ = false;
  // By WorkScale: kernel and op.
  mutable std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, bool>> named_;
};

}  // namespace laptime::replay
