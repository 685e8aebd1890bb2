#include "collect/torch/python/memory_binding.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

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
  void mark(nb::handle tensors, std::string_view role) {
    addresses_.clear();
    tensors_.add(tensors, addresses_);
    tell(record::intern(role), 0);
  }
  // The tensors are parameters, and their gradients are gradients.
  void mark_parameters(nb::handle tensors) {
    addresses_.clear();
    tensors_.add(tensors, addresses_);
    tell(parameter_, gradient_);
  }
  // In each step.
  void mark_parameters_of(nb::handle optimizer) {
    addresses_.clear();
    for (const nb::handle group : optimizer.attr("param_groups")) tensors_.add(group["params"], addresses_);
    tell(parameter_, gradient_);
  }

 private:
  void tell(std::uint32_t role, std::uint32_t gradient_role) const {
    if (!addresses_.empty()) shim_.mark(addresses_.data(), addresses_.size(), role, gradient_role);
  }

  const LaptimeMemoryShim& shim_;
  const TensorAddresses tensors_;
  const std::uint32_t parameter_ = record::intern("parameter"), gradient_ = record::intern("gradient");
  std::vector<std::uint64_t> addresses_;  // kept for its room
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
