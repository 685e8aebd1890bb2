#include "collect/torch/python/memory_binding.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <vector>

#include "collect/torch/memory_recorder.h"
#include "collect/torch/python/shim_library.h"
#include "collect/torch/python/tensor_addresses.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

// Never destroyed: PyTorch holds blocks that call back into it.
class Memory {
 public:
  Memory(const LaptimeMemoryShim& shim, const TensorAddresses& tensors) : shim_(shim), tensors_(tensors) {}

  bool attach() const { return shim_.attach() == 0; }
  bool attach_cuda() const { return shim_.attach_cuda() == 0; }
  bool self_test() const { return shim_.self_test() == 0; }
  void on() const {
    begin_memory();
    shim_.on();
  }
  void off() const { shim_.off(); }
  void close() const { shim_.close(); }

  // What is no tensor among them is passed over.
  void mark(nb::handle tensors, std::string_view role) const { tell({held(tensors)}, record::intern(role), 0); }
  // The tensors are parameters, and their gradients are gradients.
  void mark_parameters(nb::handle tensors) const { tell({held(tensors)}, parameter_, gradient_); }
  // In each step.
  void mark_parameters_of(nb::handle optimizer) const {
    std::vector<nb::object> groups;
    for (const nb::handle group : held(optimizer.attr("param_groups"))) groups.push_back(held(group["params"]));
    tell(groups, parameter_, gradient_);
  }

 private:
  // What is held lives until it was told, whatever runs in Python meanwhile.
  static nb::object held(nb::handle objects) {
    nb::object list = nb::steal(PySequence_List(objects.ptr()));
    if (!list.is_valid()) throw nb::python_error();
    return list;
  }
  void tell(const std::vector<nb::object>& lists, std::uint32_t role, std::uint32_t gradient_role) const {
    std::vector<std::uint64_t> addresses;
    for (const nb::object& list : lists) tensors_.add(list, addresses);
    if (!addresses.empty()) shim_.mark(addresses.data(), addresses.size(), role, gradient_role);
  }

  const LaptimeMemoryShim& shim_;
  const TensorAddresses tensors_;
  const std::uint32_t parameter_ = record::intern("parameter"), gradient_ = record::intern("gradient");
};

Memory* open_memory(const std::string& path, nb::handle tensor, nb::handle parameter, nb::handle disable) {
  const auto open = find_in_shim<LaptimeOpenMemory>(path, "laptime_torch_memory");
  const LaptimeMemoryShim* const shim = open(&memory_host());
  if (shim == nullptr || shim->version != LAPTIME_MEMORY_VERSION) throw std::runtime_error("the shim is from another laptime");
  return new Memory(*shim, TensorAddresses(tensor, parameter, disable));
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_memory", "The recorder of what torch's allocators do.");
  m.def("open", &open_memory, nb::arg("path"), nb::arg("tensor"), nb::arg("parameter"), nb::arg("disable"), nb::rv_policy::reference);
  nb::class_<Memory>(m, "Memory")
      .def("attach", &Memory::attach)
      .def("attach_cuda", &Memory::attach_cuda)
      .def("self_test", &Memory::self_test)
      .def("on", &Memory::on)
      .def("off", &Memory::off)
      .def("close", &Memory::close)
      .def("mark", &Memory::mark, nb::arg("tensors"), nb::arg("role"))
      .def("mark_parameters", &Memory::mark_parameters, nb::arg("tensors"))
      .def("mark_parameters_of", &Memory::mark_parameters_of, nb::arg("optimizer"));
}

}  // namespace laptime::torch
