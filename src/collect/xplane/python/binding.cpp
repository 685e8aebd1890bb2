#include "collect/xplane/python/binding.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "collect/python/interpreter/string_caster.h"
#include "collect/xplane/profile_writer.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime {

namespace {

using Moment = std::pair<std::uint64_t, std::uint64_t>;

void warn_failed() {
  record::warn(record::warning_index("xplane_lines", Severity::warning,
                                     "the lines of a compiled function's ops were not found"));
}

// Takes the GIL. A failure is a warning. Ctrl-C meanwhile is for the program.
std::vector<ProfileWriter::Origin> origins_of(const nb::object& resolve, std::string_view function,
                                              const std::vector<std::string_view>& ops) {
  const nb::gil_scoped_acquire held;
  try {
    const nb::object answer =
        resolve(std::string(function), std::vector<std::string>(ops.begin(), ops.end()));
    std::vector<ProfileWriter::Origin> origins;
    for (const auto& [call_site, is_backward] :
         nb::cast<std::vector<std::pair<std::uint32_t, bool>>>(answer))
      origins.push_back({call_site, is_backward});
    return origins;
  } catch (const nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
    warn_failed();
    return {};
  } catch (const std::exception&) {
    warn_failed();
    return {};
  }
}

class PyProfileWriter {
 public:
  PyProfileWriter(nb::object resolve, bool input_hooked, bool dispatch_hooked, nb::object calls)
      : resolve_(std::move(resolve)),
        calls_(std::move(calls)),
        writer_([this](std::string_view function,
                       const auto& ops) { return origins_of(resolve_, function, ops); },
                {.input_hooked = input_hooked, .dispatch_hooked = dispatch_hooked}) {}
  PyProfileWriter(const PyProfileWriter&) = delete;

  std::uint64_t put(const nb::bytes& space, Moment begin, Moment end) {
    const ByteView view(static_cast<const std::uint8_t*>(space.data()), space.size());
    const SortedOpCalls calls =
        calls_.is_none() ? SortedOpCalls() : nb::cast<OpCalls&>(calls_).take();
    const nb::gil_scoped_release released;
    return writer_.put(view, {begin.first, begin.second}, {end.first, end.second}, calls);
  }

 private:
  nb::object resolve_, calls_;
  ProfileWriter writer_;
};

}  // namespace

void bind_xplane(nb::module_& module) {
  nb::module_ m = module.def_submodule("xplane", "Profiles of TensorFlow and JAX, recorded.");
  nb::class_<OpCalls>(m, "OpCalls").def(nb::init<>());
  nb::class_<PyProfileWriter>(m, "ProfileWriter")
      .def(nb::init<nb::object, bool, bool, nb::object>(), nb::arg("resolve"), nb::kw_only(),
           nb::arg("input_hooked"), nb::arg("dispatch_hooked"), nb::arg("calls") = nb::none())
      .def("put", &PyProfileWriter::put, nb::arg("space"), nb::arg("begin"), nb::arg("end"));
}

}  // namespace laptime
