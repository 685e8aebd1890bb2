#include "collect/torch/python/interval_binding.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <tuple>

#include "collect/cuda/python/cuda_calls.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/lines/line_engine.h"
#include "collect/steps/interval_clock.h"
#include "collect/torch/op_recorder.h"
#include "collect/torch/python/op_requests.h"

namespace nb = nanobind;

namespace laptime::torch {

using steps::ClockedSource;
using steps::IntervalBudget;
using steps::IntervalPlan;

namespace {

// The GPU's library, and the request under which it is called.
using Gpu = std::tuple<const cuda::CudaCalls*, cuda::Request>;

ClockedSource gpu_source(const Gpu& gpu) {
  const auto [calls, who] = gpu;
  return {[calls = calls, who = who] { (void)calls->on(who); },
          [calls = calls, who = who] { calls->off(who, cuda::After::leave); },
          [calls = calls] {
            std::uint64_t launches = 0, records = 0;
            calls->counts(&launches, &records);
            return records;
          }};
}

ClockedSource op_source(const OpRequest& request) {
  return {[&request] { (void)request.on(); }, [&request] { (void)request.off(); }, &op_count};
}

std::uint64_t engines_paid() {
  return python::LineEngine::instance().budget().paid() +
         python::FunctionEngine::instance().budget().paid();
}

bool start(const OpRequest* ops, std::optional<Gpu> gpu, std::optional<std::uintptr_t> memory_off,
           double share, unsigned turns_before, double event_ticks, double period_s,
           bool leaves_no_trace) {
  IntervalPlan plan{{},
                    IntervalBudget(share, turns_before),
                    event_ticks,
                    std::chrono::nanoseconds(static_cast<std::int64_t>(period_s * 1e9))};
  plan.others = &engines_paid;
  plan.leaves_no_trace = leaves_no_trace;
  if (gpu) plan.sources.push_back(gpu_source(*gpu));  // first, because it takes milliseconds
  if (ops != nullptr) plan.sources.push_back(op_source(*ops));
  if (memory_off) plan.only_steps_switch_on.emplace_back(reinterpret_cast<void (*)()>(*memory_off));
  prepare_requests();
  (void)op_count();
  return steps::start_intervals(std::move(plan));
}

std::optional<std::tuple<double, bool, bool, unsigned>> stop() {
  const auto sums = steps::stop_intervals();
  if (!sums) return std::nullopt;
  return std::tuple(sums->spent, sums->recorded, sums->rested, sums->took_over);
}

}  // namespace

void bind_intervals(nb::module_& module) {
  nb::module_ m = module.def_submodule(
      "torch_intervals", "The clock that switches sources in programs without steps.");
  m.def("start", &start, nb::kw_only(), nb::arg("ops").none(), nb::arg("gpu").none(),
        nb::arg("memory_off").none(), nb::arg("share"), nb::arg("turns_before"),
        nb::arg("event_ticks"), nb::arg("period_s"), nb::arg("leaves_no_trace"),
        nb::call_guard<nb::gil_scoped_release>());
  m.def("end_step",
        &steps::end_step);  // in every step: with the GIL, which the clock does not need
  m.def("steps_record", &steps::steps_record, nb::arg("on"));
  m.def("stop", &stop, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace laptime::torch
