#include "recording_binding.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "collect/python/interpreter/string_caster.h"
#include "collect/python/tally_writer.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::python {

namespace {

void set_property(const std::string& key,
                  const std::variant<std::string, std::int64_t, double>& value) {
  std::visit([&](const auto& v) { record::set_property(key, v); }, value);
}

// "" or why it did not start.
std::string start(const std::optional<std::string>& path) {
  {
    const nb::gil_scoped_release released;
    if (laptime_start(path ? path->c_str() : nullptr, nullptr) != 0) return laptime_error();
  }
  ignore_tallies();
  return "";
}

// The GIL stays held: the engines write their last counts while recording stops.
bool stop() { return laptime_stop() == 0; }

// Names and messages of warnings live as long as the process. There are few, and each is kept once.
void warn(const std::string& name, const std::string& message, std::uint64_t count) {
  static auto* kept = new std::set<std::string>;
  const std::string& kept_name = *kept->insert(name).first;
  const std::string& kept_message = *kept->insert(message).first;
  record::warn(record::warning_index(kept_name, Severity::warning, kept_message), count);
}

// Ends the calling thread's step and returns its wall time in ticks. `ops`: whether they were
// recorded; -1: no source records them. `end`: when it ended, in ticks; 0: now.
std::uint64_t mark_step(std::uint64_t samples, std::uint32_t phase, int ops, std::uint64_t end) {
  using Ops = record::StepMark::Ops;
  const Ops recorded = ops < 0 ? Ops::unknown : ops == 0 ? Ops::resting : Ops::recorded;
  return record::mark_step({.samples = samples, .phase = phase, .ops = recorded, .end = end});
}

void put_span(std::uint32_t name, std::uint8_t kind, std::uint64_t start) {
  if (start != 0)
    record::put_span(
        {.start = start, .end = ticks(), .name = name, .kind = static_cast<SpanKind>(kind)});
}

// A span with a line of Python code, and its strings. Slow: for rare events.
void put_event(const std::string& name, std::uint8_t kind, std::uint64_t start,
               const std::string& file, std::uint32_t line, const std::string& function,
               const nb::dict& strings) {
  if (start == 0) return;
  std::vector<record::Arg> args;
  if (!file.empty()) {
    const std::uint32_t code = record::add_code(file, function, line, 0);
    if (const std::uint32_t call_site = record::add_call_site(code, line, 0))
      args.push_back({ArgKey::call_site, ArgType::call_site, call_site});
  }
  for (const auto& [key, value] : strings)
    args.push_back({named_key(record::intern(nb::cast<std::string>(key))), ArgType::string,
                    record::intern(nb::cast<std::string>(value))});
  const record::Span span{.start = start,
                          .end = ticks(),
                          .name = record::intern(name),
                          .kind = static_cast<SpanKind>(kind)};
  record::put_span(span, args.data(), static_cast<std::uint32_t>(args.size()));
}

// One timed region. Contract: an object times one region at a time. Entering again before leaving
// starts over.
class Scope {
 public:
  Scope(std::string name, std::uint8_t kind)
      : name_(std::move(name)), kind_(static_cast<SpanKind>(kind)) {}
  const std::string& name() const { return name_; }
  void enter() { start_ = laptime_begin(); }
  void leave() {
    if (start_ == 0) return;
    if (id_ == 0) id_ = laptime_name(name_.data(), name_.size());
    record::put_span({.start = start_, .end = ticks(), .name = id_, .kind = kind_});
    start_ = 0;
  }

 private:
  std::string name_;
  SpanKind kind_;
  std::uint32_t id_ = 0;
  std::uint64_t start_ = 0;
};

// The kinds of spans that Python code records, by name.
void bind_kinds(nb::module_& m) {
  const std::pair<const char*, SpanKind> kinds[] = {{"SCOPE", SpanKind::scope},
                                                    {"LOADER", SpanKind::loader},
                                                    {"COMPILE", SpanKind::compile},
                                                    {"GC", SpanKind::gc},
                                                    {"OPTIMIZER", SpanKind::optimizer}};
  for (const auto& [name, kind] : kinds) m.attr(name) = static_cast<int>(kind);
}

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
  m.def("mark_step", &mark_step, nb::arg("samples") = 0, nb::arg("phase") = 0, nb::arg("ops") = -1,
        nb::arg("end") = 0);
  m.def("begin_step", &record::begin_step);
  m.def("name", [](const std::string& text) { return record::intern(text); });
  m.def("now", [] { return laptime_begin(); });
  m.def("put_span", &put_span, nb::arg("name"), nb::arg("kind"), nb::arg("start"));
  m.def("put_event", &put_event, nb::arg("name"), nb::arg("kind"), nb::arg("start"),
        nb::arg("file"), nb::arg("line"), nb::arg("function"), nb::arg("strings"));
  m.def("value", [](const std::string& name, double value) {
    if (laptime_is_recording()) laptime_record_value(laptime_name(name.data(), name.size()), value);
  });
  m.def("name_thread", [](const std::string& name) { laptime_name_thread(name.c_str()); });
  m.def("set_property", &set_property, nb::arg("key"), nb::arg("value"));
  m.def("say", [](const std::string& message) { record::print_line(message); });
  m.def("warn", &warn, nb::arg("name"), nb::arg("message"), nb::arg("count") = 1);
  nb::class_<Scope>(m, "Scope")
      .def(nb::init<std::string, std::uint8_t>(), nb::arg("name"), nb::arg("kind") = 0)
      .def_prop_ro("name", &Scope::name)
      .def("__enter__", &enter_scope, nb::rv_policy::none)
      .def("__exit__", [](Scope& scope, nb::args) { scope.leave(); })
      .def("begin", &Scope::enter)
      .def("end", &Scope::leave);
  bind_kinds(m);
}

}  // namespace laptime::python
