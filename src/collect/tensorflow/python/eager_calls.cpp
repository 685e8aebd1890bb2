#include "collect/tensorflow/python/eager_calls.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/xplane/op_calls.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::tensorflow {

namespace {

using CallSiteFunction = std::uint32_t (*)();

constexpr std::size_t kMostNames = std::size_t{1} << 16;
constexpr std::size_t kMostArguments = 64;

struct ThreadCalls {
  const std::uint32_t id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  int tapes = 0;              // tapes that compute gradients, within each other
  std::uint32_t forward = 0;  // call site of the op whose gradient is computed, 0: unknown
};
thread_local ThreadCalls thread_calls;

// Changes a value until the scope ends.
template <typename Value>
class Temporarily {
 public:
  Temporarily(Value& variable, Value value)
      : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Temporarily() { variable_ = before_; }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

 private:
  Value& variable_;
  const Value before_;
};

// The name scope that an eager op would run in on this thread.
class NameScope {
 public:
  explicit NameScope(nb::object context) : context_(std::move(context)) {}

  // A text of the recorder. 0: no scope.
  std::uint32_t here() const {
    static PyObject* const local = PyUnicode_InternFromString("_thread_local_data");
    static PyObject* const name = PyUnicode_InternFromString("scope_name");
    const nb::object data = nb::steal(PyObject_GetAttr(context_.ptr(), local));
    const nb::object scope =
        data.is_valid() ? nb::steal(PyObject_GetAttr(data.ptr(), name)) : nb::object();
    Py_ssize_t length = 0;
    const char* const text = scope.is_valid() && PyUnicode_Check(scope.ptr())
                                 ? PyUnicode_AsUTF8AndSize(scope.ptr(), &length)
                                 : nullptr;
    if (PyErr_Occurred()) PyErr_Clear();
    while (length > 0 && text[length - 1] == '/') --length;
    return length == 0 ? 0 : record::intern({text, static_cast<std::size_t>(length)});
  }
  nb::object& context() { return context_; }

 private:
  nb::object context_;
};

// Copies of op's names. Each copy stands for a call site.
class NamedCallSites {
 public:
  // A borrowed reference: `name` itself if there are too many.
  PyObject* copy_of(PyObject* name, std::uint32_t call_site) {
    const auto found = copies_.find({name, call_site});
    if (found != copies_.end()) return found->second.copy.ptr();
    if (copies_.size() >= kMostNames) return name;
    Py_ssize_t length = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name, &length);
    const nb::object copy =
        text != nullptr ? nb::steal(PyUnicode_FromStringAndSize(text, length)) : nb::object();
    if (!copy.is_valid() || copy.ptr() == name) {
      PyErr_Clear();
      return name;
    }
    call_sites_[copy.ptr()] = call_site;
    copies_[{name, call_site}] = {nb::borrow(name), copy};
    return copy.ptr();
  }
  // 0: it is no copy.
  std::uint32_t call_site_of(PyObject* copy) const {
    const auto found = call_sites_.find(copy);
    return found == call_sites_.end() ? 0 : found->second;
  }
  void clear() {
    call_sites_.clear();
    copies_.clear();
  }

 private:
  struct Copy {
    nb::object name, copy;  // the name stays alive: its address is a key
  };
  std::map<std::pair<PyObject*, std::uint32_t>, Copy> copies_;
  std::unordered_map<PyObject*, std::uint32_t> call_sites_;
};

struct Callbacks {
  nb::object calls;   // the OpCalls that calls are noted in
  nb::object refine;  // (call site, scope) -> call site
};

class EagerCalls {
 public:
  EagerCalls(Callbacks callbacks, std::uintptr_t call_site, nb::object context)
      : callbacks_(std::move(callbacks)),
        calls_(nb::cast<OpCalls*>(callbacks_.calls)),
        call_site_(reinterpret_cast<CallSiteFunction>(call_site)),
        scope_(std::move(context)) {}

  bool on() const { return on_; }
  void set_on(bool on) {
    on_ = on && calls_ != nullptr;
    if (std::exchange(epoch_, record::epoch()) == record::epoch()) return;
    names_.clear();
    refined_.clear();
  }

  OpOrigin origin() {
    const ThreadCalls& thread = thread_calls;
    if (thread.forward != 0) return {thread.forward, true};
    return {refined(call_site_(), scope_.here()), thread.tapes > 0};
  }
  void add(std::uint64_t begin, OpOrigin origin) {
    if (on_) calls_->add({begin, ticks(), thread_calls.id, origin});
  }
  NamedCallSites& names() { return names_; }

  int traverse(visitproc visit, void* arg) {
    for (const nb::object* object : {&callbacks_.calls, &callbacks_.refine, &scope_.context()})
      Py_VISIT(object->ptr());
    return 0;
  }
  void clear() {
    on_ = false;
    calls_ = nullptr;
    callbacks_ = {};
    scope_.context() = {};
  }

 private:
  std::uint32_t refined(std::uint32_t call_site, std::uint32_t scope) {
    if (scope == 0) return call_site;
    const std::uint64_t key = std::uint64_t{call_site} << 32 | scope;
    const auto found = refined_.find(key);
    if (found != refined_.end()) return found->second;
    refined_[key] = call_site;
    return refined_[key] = refine(call_site, record::name_text(scope));
  }

  // A failure is a warning. Ctrl-C meanwhile is for the program.
  std::uint32_t refine(std::uint32_t call_site, const char* scope) const {
    const nb::object answer =
        nb::steal(PyObject_CallFunction(callbacks_.refine.ptr(), "Is", call_site, scope));
    std::uint32_t refined = 0;
    if (answer.is_valid() && nb::try_cast(answer, refined)) return refined;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
    PyErr_Clear();
    record::warn(record::warning_index("eager_lines", Severity::warning,
                                       "the layers of single ops were not found"));
    return call_site;
  }

  Callbacks callbacks_;
  OpCalls* calls_;
  const CallSiteFunction call_site_;
  NameScope scope_;
  NamedCallSites names_;
  std::unordered_map<std::uint64_t, std::uint32_t> refined_;  // by call site and scope
  std::uint32_t epoch_ = 0;
  bool on_ = false;
};

// A wrapped function.
struct Wrapper {
  nb::object owner, function;
  EagerCalls* calls;  // the owner's
  int name_at;

  PyObject* call(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) const {
    return PyObject_Vectorcall(function.ptr(), arguments, static_cast<std::size_t>(count),
                               keywords);
  }

  // With the copy of the op's name that stands for the call site.
  PyObject* call_named(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
                       std::uint32_t call_site) const {
    const std::size_t all =
        static_cast<std::size_t>(count + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
    if (call_site == 0 || name_at < 0 || name_at >= count || all > kMostArguments ||
        !PyUnicode_CheckExact(arguments[name_at]))
      return call(arguments, count, keywords);
    std::array<PyObject*, kMostArguments> renamed;
    std::copy_n(arguments, all, renamed.begin());
    renamed[static_cast<std::size_t>(name_at)] =
        calls->names().copy_of(arguments[name_at], call_site);
    return call(renamed.data(), count, keywords);
  }
};

constexpr const char* kCapsule = "laptime.eager_calls";

const Wrapper& wrapper_of(PyObject* self) {
  return *static_cast<const Wrapper*>(PyCapsule_GetPointer(self, kCapsule));
}

PyObject* call_op(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keywords) {
  const Wrapper& wrapper = wrapper_of(self);
  if (!wrapper.calls->on()) return wrapper.call(arguments, count, keywords);
  const std::uint64_t begin = ticks();
  const OpOrigin origin = wrapper.calls->origin();
  PyObject* const result = wrapper.call_named(arguments, count, keywords, origin.call_site);
  wrapper.calls->add(begin, origin);
  return result;
}

PyObject* call_note(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                    PyObject* keywords) {
  const Wrapper& wrapper = wrapper_of(self);
  const std::uint32_t call_site = wrapper.calls->on() ? wrapper.calls->origin().call_site : 0;
  return wrapper.call_named(arguments, count, keywords, call_site);
}

PyObject* call_gradient(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords) {
  const Wrapper& wrapper = wrapper_of(self);
  const Temporarily forward(thread_calls.forward,
                            count > 0 ? wrapper.calls->names().call_site_of(arguments[0]) : 0);
  return wrapper.call(arguments, count, keywords);
}

PyObject* call_tape(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                    PyObject* keywords) {
  const Temporarily tapes(thread_calls.tapes, thread_calls.tapes + 1);
  return wrapper_of(self).call(arguments, count, keywords);
}

using Call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

template <Call call>
nb::object wrap(const nb::object& owner, nb::object function, int name_at) {
  static PyMethodDef method = {"wrapped",
                               reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                               METH_FASTCALL | METH_KEYWORDS, nullptr};
  auto* const made = new Wrapper{owner, std::move(function), nb::cast<EagerCalls*>(owner), name_at};
  const nb::object capsule = nb::steal(PyCapsule_New(made, kCapsule, [](PyObject* self) {
    delete static_cast<Wrapper*>(PyCapsule_GetPointer(self, kCapsule));
  }));
  return nb::steal(PyCFunction_NewEx(&method, capsule.ptr(), nullptr));
}

int traverse_calls(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<EagerCalls>(self)->traverse(visit, arg) : 0;
}

int clear_calls(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<EagerCalls>(self)->clear();
  return 0;
}

PyType_Slot call_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse_calls)},
                            {Py_tp_clear, reinterpret_cast<void*>(&clear_calls)},
                            {0, nullptr}};

}  // namespace

void bind_eager_calls(nb::module_& steps) {
  nb::class_<EagerCalls>(steps, "EagerCalls", nb::type_slots(call_slots))
      .def(
          "__init__",
          [](EagerCalls* self, nb::object calls, std::uintptr_t call_site, nb::object refine,
             nb::object context) {
            new (self)
                EagerCalls({std::move(calls), std::move(refine)}, call_site, std::move(context));
          },
          nb::kw_only(), nb::arg("calls"), nb::arg("call_site"), nb::arg("refine"),
          nb::arg("context"))
      .def_prop_rw("on", &EagerCalls::on, &EagerCalls::set_on)
      .def(
          "wrap_op",
          [](const nb::object& self, nb::object function, int name_at) {
            return wrap<&call_op>(self, std::move(function), name_at);
          },
          nb::arg("function"), nb::arg("name_at"))
      .def(
          "wrap_note",
          [](const nb::object& self, nb::object function, int name_at) {
            return wrap<&call_note>(self, std::move(function), name_at);
          },
          nb::arg("function"), nb::arg("name_at"))
      .def(
          "wrap_gradient",
          [](const nb::object& self, nb::object function) {
            return wrap<&call_gradient>(self, std::move(function), -1);
          },
          nb::arg("function"))
      .def(
          "wrap_tape",
          [](const nb::object& self, nb::object function) {
            return wrap<&call_tape>(self, std::move(function), -1);
          },
          nb::arg("function"));
}

}  // namespace laptime::tensorflow
