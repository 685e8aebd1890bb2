#include "collect/torch/python/memory_binding.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "collect/torch/memory_recorder.h"
#include "collect/torch/python/shim_library.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

// Never destroyed: PyTorch holds blocks that call back into it.
class Memory {
 public:
  explicit Memory(const LaptimeMemoryShim& shim) : shim_(shim) {}

  bool attach() const { return shim_.attach() == 0; }
  bool attach_cuda() const { return shim_.attach_cuda() == 0; }
  bool self_test() const { return shim_.self_test() == 0; }
  void on() const {
    begin_memory();
    shim_.on();
  }
  void off() const { shim_.off(); }
  void close() const { shim_.close(); }

  // `tensors`: a list of Tensor._cdata.
  void mark(const nb::list& tensors, std::string_view role, std::string_view gradient_role) {
    addresses_.clear();
    for (const nb::handle tensor : tensors) addresses_.push_back(nb::cast<std::uint64_t>(tensor));
    shim_.mark(addresses_.data(), addresses_.size(), record::intern(role), gradient_role.empty() ? 0 : record::intern(gradient_role));
  }

 private:
  const LaptimeMemoryShim& shim_;
  std::vector<std::uint64_t> addresses_;  // kept for its room
};

Memory* open_memory(const std::string& path) {
  const auto open = find_in_shim<LaptimeOpenMemory>(path, "laptime_torch_memory");
  const LaptimeMemoryShim* const shim = open(&memory_host());
  if (shim == nullptr || shim->version != LAPTIME_MEMORY_VERSION) throw std::runtime_error("the shim is from another laptime");
  return new Memory(*shim);
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_memory", "The recorder of what torch's allocators do.");
  m.def("open", &open_memory, nb::rv_policy::reference);
  nb::class_<Memory>(m, "Memory")
      .def("attach", &Memory::attach)
      .def("attach_cuda", &Memory::attach_cuda)
      .def("self_test", &Memory::self_test)
      .def("on", &Memory::on)
      .def("off", &Memory::off)
      .def("close", &Memory::close)
      .def("mark", &Memory::mark, nb::arg("tensors"), nb::arg("role"), nb::arg("gradient_role") = "");
}

}  // namespace laptime::torch
