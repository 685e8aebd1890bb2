// The host's categories (host_time.h) in tables: as rows with names, or as columns.
//
// The rest is `python` if ops were recorded. If not, it is `python and ops`, or `other` if the
// program is not Python. As a column both are other_ns, and the columns of ops are unknown.
#pragma once

#include <array>
#include <string>

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/time/host_time.h"

namespace laptime {

// Roughly the order in which a step does them.
inline constexpr HostCategory kHostOrder[] = {
    HostCategory::input,       HostCategory::rest,       HostCategory::dispatch,
    HostCategory::forward,     HostCategory::backward,   HostCategory::communication,
    HostCategory::optimizer,   HostCategory::checkpoint, HostCategory::memory,
    HostCategory::launch,      HostCategory::copy,       HostCategory::sync,
    HostCategory::device_wait, HostCategory::compile,    HostCategory::gc};

// What is known of a step: whether it runs Python, whether ops are separate from the rest, and what
// else is.
struct HostKnowledge {
  bool python, ops;
  HostSources sources;
};
bool is_python_step(const Run& run, const Step& step);
HostKnowledge knowledge_of(const Run& run, const HostStep& step);
// What is known of any step of the phase.
HostKnowledge knowledge_of(const Analysis& analysis, std::uint32_t track, std::uint32_t phase);

// The extra time of slow steps, if none of them was recorded (mean_step.h).
inline constexpr const char* kUndivided = "not recorded";
std::string host_category_name(HostCategory category, const HostKnowledge& known);

// Whether the step separates the category from the rest.
bool is_separate(HostCategory category, const HostKnowledge& known);

// A step's time by category, for columns.
template <typename Number>
struct HostTimes {
  const std::array<Number, kHostCategories>& ns;
  HostKnowledge known;

  std::optional<Number> of(HostCategory category) const {
    return known_if(is_separate(category, known), ns[static_cast<std::size_t>(category)]);
  }
  // The undivided time. The known columns and this one sum to that of `ns`.
  std::optional<Number> other() const {
    Number sum = 0;
    for (const HostCategory category : kHostOrder)
      if (!is_separate(category, known)) sum += ns[static_cast<std::size_t>(category)];
    return known_if(!(known.ops && known.python && sum == 0), sum);
  }
};

// input_ns, python_ns, forward_ns … other_ns. `Facts` has a member `host` of type HostTimes.
template <typename Facts>
constexpr std::array<ColumnOf<Facts>, kHostCategories + 1> host_columns() {
  return {{{"input_ns", Unit::ns, "Waiting for a batch.",
            [](auto& r) { return r.host.of(HostCategory::input); }},
           {"python_ns", Unit::ns, "The program's own code.",
            [](auto& r) { return r.host.of(HostCategory::rest); }},
           {"forward_ns", Unit::ns, "Ops that are none of the following.",
            [](auto& r) { return r.host.of(HostCategory::forward); }},
           {"backward_ns", Unit::ns, "Backward.",
            [](auto& r) { return r.host.of(HostCategory::backward); }},
           {"communication_ns", Unit::ns, "Collectives, and waits for them.",
            [](auto& r) { return r.host.of(HostCategory::communication); }},
           {"optimizer_ns", Unit::ns, "The optimizer.",
            [](auto& r) { return r.host.of(HostCategory::optimizer); }},
           {"checkpoint_ns", Unit::ns, "Checkpoints.",
            [](auto& r) { return r.host.of(HostCategory::checkpoint); }},
           {"memory_ns", Unit::ns, "Ops that allocate, copy or fill.",
            [](auto& r) { return r.host.of(HostCategory::memory); }},
           {"launch_ns", Unit::ns, "Driver calls that give work to a GPU.",
            [](auto& r) { return r.host.of(HostCategory::launch); }},
           {"copy_ns", Unit::ns, "Copies that block.",
            [](auto& r) { return r.host.of(HostCategory::copy); }},
           {"sync_ns", Unit::ns, "Waiting in the driver for a GPU.",
            [](auto& r) { return r.host.of(HostCategory::sync); }},
           {"dispatch_ns", Unit::ns, "Calls of compiled functions while none of their ops run.",
            [](auto& r) { return r.host.of(HostCategory::dispatch); }},
           {"device_wait_ns", Unit::ns, "Waiting for a result while no thread computes.",
            [](auto& r) { return r.host.of(HostCategory::device_wait); }},
           {"compile_ns", Unit::ns, "Compilation.",
            [](auto& r) { return r.host.of(HostCategory::compile); }},
           {"gc_ns", Unit::ns, "Python's garbage collection.",
            [](auto& r) { return r.host.of(HostCategory::gc); }},
           {"other_ns", Unit::ns, "Time that is not divided into categories.",
            [](auto& r) { return r.host.other(); }}}};
}

}  // namespace laptime
