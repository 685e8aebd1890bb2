// What tasks of a run with a GPU would take once the changes are made that only mean something
// there: kernels that get faster, waits that go, copies from pinned memory or packed into fewer,
// launches that are free, and what a larger batch makes longer.
//
// What is uncertain, and how far the outlooks go: a larger batch makes kernels longer in
// proportion, less a fixed part each; at best those with fewer blocks than the GPU has
// multiprocessors do not grow until they fill it. Ops of the host that launch cost the same
// whatever the batch; others grow, and so does the program's own code as far as its lines work on a
// batch (step_python.h); where lines are not known, intervals longer than any framework's way from
// op to op (at best none). Pinned memory is read as fast as a bus of today does; at worst the
// program itself must copy each batch into it.
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
  // Both outlive it.
  GpuPricing(const GraphSource& source, const Changes& changes);

  void price(const TaskGraph& graph, Outlook outlook, Prices& prices) const;
  // Patterns of lines that wait, which name nothing in this run.
  std::vector<std::string> unknown_patterns() const;

 private:
  struct Calls;  // what a graph's frames launch
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
  std::vector<NameMatch> waits_;                      // of Changes::no_waits, but for "*"
  std::vector<std::optional<NameMatch>> work_lines_;  // by scale of work: its line
  bool all_waits_ = false;
  mutable std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, bool>>
      named_;  // by scale of work: kernel and op
};

}  // namespace laptime::replay
