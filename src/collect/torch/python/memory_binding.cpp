#include "collect/torch/python/memory_binding.h"

#include <nanobind/stl/string_view.h>

#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/memory_recorder.h"
#include "collect/torch/python/shim_library.h"
#include "collect/torch/python/tensor_addresses.h"
#include "format/names.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

// Never destroyed: PyTorch holds blocks that call back into it.
class Memory {
 public:
  Memory(const LaptimeMemoryShim& shim, const TensorAddresses& tensors)
      : shim_(shim), tensors_(tensors) {}

  // Throws if the allocator cannot be followed.
  void attach() const {
    if (shim_.attach() != 0)
      throw std::runtime_error("the program's own CPU allocator cannot be followed");
  }
  bool attach_cuda() const { return shim_.attach_cuda() == 0; }
  bool self_test() const { return shim_.self_test() == 0; }
  void on() const {
    begin_memory();
    shim_.on();
  }
  void off() const { shim_.off(); }
  std::uintptr_t off_function() const { return reinterpret_cast<std::uintptr_t>(shim_.off); }
  void close() const { shim_.close(); }

  // Ignores objects that are not tensors.
  void mark(nb::handle tensors, std::string_view role) const {
    report({held(tensors)}, record::intern(role), 0);
  }
  // The tensors are parameters, and their gradients are gradients.
  void mark_parameters(nb::handle tensors) const { report({held(tensors)}, parameter_, gradient_); }
  // Called before the optimizer steps, in each step. Marks its parameters and their gradients.
  // Returns whether it has more state than at the last call.
  bool mark_before_step(nb::handle optimizer) {
    mark_parameters_of(optimizer);
    return has_new_state(optimizer);
  }
  bool has_new_state(nb::handle optimizer) {
    const nb::object state = optimizer.attr(state_name_);
    const State now{state.ptr(), PyDict_Check(state.ptr()) ? PyDict_GET_SIZE(state.ptr()) : 0};
    State& before = states_[optimizer.ptr()];
    if (before == now) return false;
    before = now;
    return true;
  }
  void forget_states() { states_.clear(); }

 private:
  static nb::object interned(const char* name) {
    return nb::steal(PyUnicode_InternFromString(name));
  }
  // Keeps the objects alive until they are reported, whatever runs in Python meanwhile.
  static nb::object held(nb::handle objects) {
    nb::object list = nb::steal(PySequence_List(objects.ptr()));
    if (!list.is_valid()) throw nb::python_error();
    return list;
  }
  void report(const std::vector<nb::object>& lists, std::uint32_t role,
              std::uint32_t gradient_role) const {
    std::vector<std::uint64_t> addresses;
    for (const nb::object& list : lists) tensors_.add(list, addresses);
    report(addresses, role, gradient_role);
  }
  void report(const std::vector<std::uint64_t>& addresses, std::uint32_t role,
              std::uint32_t gradient_role) const {
    if (!addresses.empty()) shim_.mark(addresses.data(), addresses.size(), role, gradient_role);
  }

  void mark_parameters_of(nb::handle optimizer) {
    const nb::object groups = optimizer.attr(groups_name_);
    addresses_.clear();
    if (add_at_once(groups)) return report(addresses_, parameter_, gradient_);
    std::vector<nb::object> lists;
    for (const nb::handle group : held(groups)) lists.push_back(held(group[parameters_name_]));
    report(lists, parameter_, gradient_);
  }
  bool add_at_once(nb::handle groups) {
    if (!PyList_CheckExact(groups.ptr())) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups.ptr()); ++i) {
      PyObject* const group = PyList_GET_ITEM(groups.ptr(), i);
      PyObject* const list = PyDict_CheckExact(group)
                                 ? PyDict_GetItemWithError(group, parameters_name_.ptr())
                                 : nullptr;
      if (list == nullptr || !tensors_.add_at_once(list, addresses_)) return false;
    }
    return true;
  }

  struct State {
    const PyObject* dict = nullptr;
    Py_ssize_t size = 0;

    bool operator==(const State&) const = default;
  };

  const LaptimeMemoryShim& shim_;
  const TensorAddresses tensors_;
  // Names made in advance.
  const nb::object groups_name_ = interned("param_groups"), parameters_name_ = interned("params"),
                   state_name_ = interned("state");
  std::vector<std::uint64_t> addresses_;               // room that is kept
  std::unordered_map<const PyObject*, State> states_;  // by optimizer, as it looked
  const std::uint32_t parameter_ = record::intern(span_name::kParameter),
                      gradient_ = record::intern(span_name::kGradient);
};

Memory* open_memory(const std::string& path, nb::handle tensor, nb::handle parameter,
                    nb::handle disable, nb::handle mode_is_on) {
  const auto open = find_in_shim<LaptimeOpenMemory>(path, "laptime_torch_memory");
  const LaptimeMemoryShim* const shim = open(&memory_host());
  if (shim == nullptr || shim->version != LAPTIME_MEMORY_VERSION)
    throw std::runtime_error("the shim is from another laptime");
  return new Memory(*shim, TensorAddresses(tensor, parameter, QuietTorch(disable, mode_is_on)));
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_memory", "The recorder of torch's allocators.");
  m.def("open", &open_memory, nb::arg("path"), nb::arg("tensor"), nb::arg("parameter"),
        nb::arg("disable"), nb::arg("mode_is_on"), nb::rv_policy::reference);
  nb::class_<Memory>(m, "Memory")
      .def("attach", &Memory::attach)
      .def("attach_cuda", &Memory::attach_cuda)
      .def("self_test", &Memory::self_test)
      .def("on", &Memory::on)
      .def("off", &Memory::off)
      .def_prop_ro("off_function", &Memory::off_function)
      .def("close", &Memory::close)
      .def("mark", &Memory::mark, nb::arg("tensors"), nb::arg("role"))
      .def("mark_parameters", &Memory::mark_parameters, nb::arg("tensors"))
      .def("mark_before_step", &Memory::mark_before_step, nb::arg("optimizer"))
      .def("has_new_state", &Memory::has_new_state, nb::arg("optimizer"))
      .def("forget_states", &Memory::forget_states);
}

}  // namespace laptime::torch
