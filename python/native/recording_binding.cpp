#include "recording_binding.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <set>

#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::python {

namespace {

// "" or why it did not start.
std::string start(const std::optional<std::string>& path) {
  const nb::gil_scoped_release released;
  return laptime_start(path ? path->c_str() : nullptr, nullptr) == 0 ? "" : laptime_error();
}

// The GIL stays held: the engines write their last counts while recording stops.
bool stop() { return laptime_stop() == 0; }

// Names and messages of losses live as long as the process: the same few, said once each.
void lose(const std::string& name, const std::string& message, std::uint64_t count) {
  static auto* kept = new std::set<std::string>;
  const std::string& kept_name = *kept->insert(name).first;
  const std::string& kept_message = *kept->insert(message).first;
  record::lose(record::loss_index(kept_name, Severity::warning, kept_message), count);
}

// One timed region. Contract: an object times one region at a time; entering again before leaving starts over.
class Scope {
 public:
  explicit Scope(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void enter() { start_ = laptime_begin(); }
  void leave(SpanKind kind) {
    if (start_ == 0) return;
    if (id_ == 0) id_ = laptime_name(name_.data(), name_.size());
    record::put_span({.start = start_, .end = ticks(), .name = id_, .kind = kind});
    start_ = 0;
  }

 private:
  std::string name_;
  std::uint32_t id_ = 0;
  std::uint64_t start_ = 0;
};

Scope& enter_scope(Scope& scope) {
  scope.enter();
  return scope;
}

}  // namespace

void bind_recording(nb::module_& module) {
  nb::module_ m = module.def_submodule("recording", "The recorder of this process.");
  m.def("start", &start, nb::arg("path").none());
  m.def("stop", &stop);
  m.def("error", [] { return std::string(laptime_error()); });
  m.def("on", [] { return laptime_is_recording() != 0; });
  m.def("step", [](std::uint64_t samples) { laptime_step(samples); }, nb::arg("samples") = 0);
  m.def("value", [](const std::string& name, double value) {
    if (laptime_is_recording()) laptime_record_value(laptime_name(name.data(), name.size()), value);
  });
  m.def("name_thread", [](const std::string& name) { laptime_name_thread(name.c_str()); });
  m.def("set_property", [](const std::string& key, const std::string& value) { record::set_property(key, value); });
  m.def("lose", &lose, nb::arg("name"), nb::arg("message"), nb::arg("count") = 1);
  nb::class_<Scope>(m, "Scope")
      .def(nb::init<std::string>(), nb::arg("name"))
      .def_prop_ro("name", &Scope::name)
      .def("__enter__", &enter_scope, nb::rv_policy::none)
      .def("__exit__", [](Scope& scope, nb::args) { scope.leave(SpanKind::scope); })
      .def("begin", &Scope::enter)
      .def("end_wait", [](Scope& scope) { scope.leave(SpanKind::loader); });
}

}  // namespace laptime::python
