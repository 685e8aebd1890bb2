#include "collect/torch/python/binding.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/headerless.h"
#include "collect/torch/op_details.h"
#include "collect/torch/op_recorder.h"
#include "collect/torch/probe.h"
#include "collect/torch/python/call_sites.h"
#include "collect/torch/python/module_paths.h"
#include "collect/torch/python/op_requests.h"
#include "collect/torch/python/profiled_ops.h"
#include "collect/torch/python/shim_library.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

// One way to get torch's callbacks. Never destroyed: torch may still call its functions.
class Source {
 public:
  explicit Source(OpenOps open) {
    const OpHost host = op_host();
    shim_ = open(&host);
    if (shim_ == nullptr || shim_->version != kShimVersion)
      throw std::runtime_error("the op recorder is from another laptime");
  }

  // Never destroyed: another thread may still use it for a switch.
  const OpRequest* request(bool inputs, bool frames) const {
    return new OpRequest(*shim_, inputs, frames);
  }

  // From here to stop_probe nothing is recorded, and the caller switches the callbacks.
  void start_probe() const {
    begin_trial();
    torch::start_probe(*shim_);
  }
  bool on() const { return shim_->on(0) == 0; }
  bool off() const { return shim_->off() == 0; }
  nb::list stop_probe() const {
    nb::list rows;
    const std::vector<ProbedOp> ops = torch::stop_probe();
    end_trial(*shim_);
    for (const ProbedOp& op : ops)
      rows.append(nb::make_tuple(op.name, op.scope, op.depth,
                                 op.ended && op.thread == op.expected_thread,
                                 op.ended && op.sequence == op.expected_sequence));
    return rows;
  }

 private:
  const OpShim* shim_ = nullptr;
};

Source* open_compiled(const std::string& path) {
  return new Source(find_in_shim<OpenOps>(path, "laptime_torch_ops"));
}

const OpDetailSource* open_details(const std::string& path) {
  const LaptimeDetailsShim* const shim =
      find_in_shim<LaptimeOpenDetails>(path, "laptime_torch_details")();
  if (shim->version != LAPTIME_DETAILS_VERSION)
    throw std::runtime_error("the op recorder is from another laptime");
  // never destroyed: another thread may still use it for a switch
  return new OpDetailSource(*shim);
}

void configure(std::vector<std::string> library_paths, std::vector<std::string> include,
               std::vector<std::string> exclude, nb::object module_call, nb::object module_type,
               std::vector<std::string> framework_folders) {
  if (!PyCode_Check(module_call.ptr()) || !PyType_Check(module_type.ptr()))
    throw nb::type_error("a code object and a type are expected");
  configure_call_sites({{std::move(library_paths), std::move(include), std::move(exclude)},
                        std::move(framework_folders),
                        module_call.ptr(),
                        module_type.ptr()});
  set_call_site_source(python_call_sites());
  static const bool registered_at_exit =
      (nb::module_::import_("atexit").attr("register")(nb::cpp_function(&python_will_end)), true);
  (void)registered_at_exit;
  record::add_step_observer([](std::uint32_t) noexcept { name_modules(false); });
  record::add_stop_observer([]() noexcept { name_modules(true); });
}

// first line, file, function, its first line, line
using GeneratedRow = std::tuple<std::uint32_t, std::string, std::string, int, std::uint32_t>;

void add_generated(const std::string& file, const std::vector<GeneratedRow>& rows) {
  std::vector<GeneratedLine> lines;
  for (const auto& [first_line, source, function, function_line, line] : rows)
    lines.push_back({first_line, source, function, function_line, line});
  add_generated_code(file, lines);
}

}  // namespace

void bind_ops(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_ops", "The recorder of torch's ops.");
  m.def("configure", &configure, nb::kw_only(), nb::arg("library_paths"), nb::arg("include"),
        nb::arg("exclude"), nb::arg("module_call"), nb::arg("module_type"),
        nb::arg("framework_folders") = std::vector<std::string>());
  m.def("open_compiled", &open_compiled, nb::rv_policy::reference);
  m.def("open_details", &open_details, nb::rv_policy::reference);
  m.attr("IDS") = static_cast<unsigned>(LAPTIME_DETAIL_IDS);
  m.attr("MODULES") = static_cast<unsigned>(LAPTIME_DETAIL_MODULES);
  m.attr("INPUTS") = static_cast<unsigned>(LAPTIME_DETAIL_INPUTS);
  // NOLINTNEXTLINE(bugprone-unused-raii): the constructor registers a class without methods.
  nb::class_<OpDetails>(m, "Details");
  nb::class_<OpDetailSource>(m, "DetailSource")
      .def("enter", &OpDetailSource::enter, nb::arg("inputs"))
      .def("leave", &OpDetailSource::leave)
      .def("needs_ids", &OpDetailSource::needs_ids)
      .def("on", &OpDetailSource::on)
      .def("off", &OpDetailSource::off, nb::arg("begin"));
  m.def("start_calibration", &start_calibration);
  m.def("stop_calibration", &stop_calibration);
  m.def("open_prebuilt", [] { return new Source(&open_headerless); }, nb::rv_policy::reference);
  bind_profiled_ops(m);
  m.def("count", &op_count);
  m.def("epoch", [] { return record::epoch(); });
  m.def("call_site_function", [] { return reinterpret_cast<std::uintptr_t>(&call_site_here); });
  m.def("op_call_site_function",
        [] { return reinterpret_cast<std::uintptr_t>(&op_call_site_here); });
  m.def("is_user_code", &is_user_code);
  m.def("call_site_of", &call_site_of_line, nb::arg("file"), nb::arg("function"),
        nb::arg("function_line"), nb::arg("line"), nb::arg("module") = "");
  m.def("add_generated_code", &add_generated, nb::arg("file"), nb::arg("rows"));
  m.def("name_modules", [] { name_modules(false); });
  m.def("note_parent",
        [](nb::handle module, nb::handle, nb::handle) { note_parent(module.ptr()); });
  nb::class_<OpRequest>(m, "Request").def("on", &OpRequest::on).def("off", &OpRequest::off);
  nb::class_<Source>(m, "Source")
      .def("request", &Source::request, nb::kw_only(), nb::arg("inputs"), nb::arg("frames"),
           nb::rv_policy::reference)
      .def("start_probe", &Source::start_probe)
      .def("on", &Source::on)
      .def("off", &Source::off)
      .def("stop_probe", &Source::stop_probe);
}

}  // namespace laptime::torch
