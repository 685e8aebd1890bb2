#include "collect/cuda/python/binding.h"

#include <nanobind/stl/tuple.h>
#include <cstdint>
#include <string>
#include <tuple>

#include "collect/cuda/python/cuda_calls.h"
#include "collect/python/interpreter/string_caster.h"

namespace nb = nanobind;

namespace laptime::cuda {

namespace {

// Never destroyed: another thread may still use it for a switch.
const CudaCalls* open(const std::string& path) { return new CudaCalls(path); }

std::tuple<std::uint64_t, std::uint64_t> counts(const CudaCalls& calls) {
  std::uint64_t launches = 0, records = 0;
  calls.counts(&launches, &records);
  return {launches, records};
}

std::tuple<bool, std::int64_t, std::uint64_t> current_node(const CudaCalls& calls) {
  std::int64_t sequence = 0;
  std::uint64_t thread = 0;
  const bool running = calls.current_node(&sequence, &thread) != 0;
  return {running, sequence, thread};
}

std::tuple<std::int64_t, std::uint64_t> next_node(const CudaCalls& calls) {
  std::int64_t sequence = 0;
  std::uint64_t thread = 0;
  calls.next_node(&sequence, &thread);
  return {sequence, thread};
}

void bind_states(nb::module_& m) {
  nb::enum_<State>(m, "State")
      .value("IDLE", State::idle)
      .value("CAPTURING", State::capturing)
      .value("DRAINING", State::draining)
      .value("LEAVING", State::leaving)
      .value("FINALIZING", State::finalizing)
      .value("FINALIZED", State::finalized)
      .value("FAILED", State::failed);
  nb::enum_<After>(m, "After", "What happens to CUPTI when the GPU is no longer recorded.")
      .value("REST", After::rest)
      .value("LEAVE", After::leave)
      .value("LEAVE_SOON", After::leave_soon);
  nb::enum_<Request>(m, "Requester", "Who requests that the GPU be recorded.")
      .value("RECORDING", kRecording)
      .value("PROFILER", kProfiler)
      .value("EVERYBODY", kEverybody);
}

void bind_calls(nb::module_& m) {
  using Released = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<CudaCalls>(m, "Library")
      .def(
          "on", [](const CudaCalls& calls, Request who) { return calls.on(who); }, nb::arg("who"),
          Released())
      .def(
          "off", [](const CudaCalls& calls, Request who, After after) { calls.off(who, after); },
          nb::arg("who"), nb::arg("after"), Released())
      .def(
          "set_disabled",
          [](const CudaCalls& calls, bool disabled) { calls.set_disabled(disabled ? 1 : 0); },
          nb::arg("disabled"), Released())
      .def(
          "state", [](const CudaCalls& calls) { return calls.state(); }, Released())
      .def("counts", &counts, Released(), "Launches, and GPU records that have arrived.")
      .def(
          "flush", [](const CudaCalls& calls) { calls.flush(); }, Released())
      .def(
          "set_call_sites",
          [](const CudaCalls& calls, std::uintptr_t function) {
            calls.set_call_sites(reinterpret_cast<CallSiteFunction>(function));
          },
          nb::arg("function"), Released())
      .def(
          "set_op_call_sites",
          [](const CudaCalls& calls, std::uintptr_t function) {
            calls.set_op_call_sites(reinterpret_cast<OpCallSiteFunction>(function));
          },
          nb::arg("function"), Released())
      .def(
          "set_nodes", [](const CudaCalls& calls, bool on) { calls.set_nodes(on ? 1 : 0); },
          nb::arg("on"), Released())
      .def(
          "name_kernel",
          [](const CudaCalls& calls, const std::string& kernel, std::uint32_t call_site) {
            calls.name_kernel(kernel.c_str(), call_site);
          },
          nb::arg("kernel"), nb::arg("call_site"), Released())
      .def(
          "name_instruction",
          [](const CudaCalls& calls, const std::string& module, const std::string& instruction,
             std::uint32_t call_site) {
            calls.name_instruction(module.c_str(), instruction.c_str(), call_site);
          },
          nb::arg("module"), nb::arg("instruction"), nb::arg("call_site"), Released())
      .def(
          "bind_torch", [](const CudaCalls& calls) { return calls.bind_torch() != 0; }, Released())
      .def("current_node", &current_node, Released())
      .def("next_node", &next_node, Released())
      .def("defer", [](const CudaCalls& calls) { calls.defer(); }, Released());
}

}  // namespace

void bind_gpu(nb::module_& module) {
  nb::module_ m = module.def_submodule("gpu", "The GPU's collector.");
  bind_states(m);
  bind_calls(m);
  m.def("open", &open, nb::arg("path"), nb::rv_policy::reference);
}

}  // namespace laptime::cuda
