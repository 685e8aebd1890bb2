#include "collect/jax/python/call_hooks.h"

#include <exception>
#include <string>
#include <utility>

#include "base/clock.h"
#include "collect/jax/call_rules.h"
#include "collect/jax/python/call_inputs.h"
#include "collect/jax/python/compilations.h"
#include "collect/jax/python/last_event.h"
#include "collect/jax/python/seen_functions.h"
#include "collect/jax/python/wait_hooks.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/steps/step_writer.h"
#include "collect/torch/python/call_sites.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::jax {

namespace {

// The number of what is differentiated outside of jitted functions.
constexpr std::uint32_t kNoFunction = 0xFFFF'FFFF;

struct ThreadCalls {
  bool is_in_call = false;
  std::uint32_t function = 0;  // of the outermost call, or of the outermost trace outside of calls
  int traces = 0;              // traces within each other, outside of calls
};
thread_local ThreadCalls thread_calls;

// How many contexts with a trace of their own (set_current_trace) the calling thread is in. 0:
// nothing is traced.
thread_local int trace_contexts = 0;

class OutermostCall {
 public:
  explicit OutermostCall(std::uint32_t function) { thread_calls = {true, function, 0}; }
  ~OutermostCall() { thread_calls = {}; }
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;
};

// Callbacks into Python.
struct Callbacks {
  nb::object begin;  // (): the first step of all begins
  nb::object mark;   // (phase, samples, ticks): a step ended at that time; 0: now
  // (name, function) -> the name and the code of a function of the program's, or None
  nb::object identify;
};

// Where JAX keeps the trace that runs on the calling thread. A context may also switch tracing off.
struct TraceState {
  nb::object holder;     // has the attribute `value`
  nb::object evaluates;  // its value while nothing is traced

  // To read the state takes 40 ns, so it is read only inside a context.
  bool is_tracing() const { return trace_contexts > 0 && is_tracing_here(); }

 private:
  bool is_tracing_here() const {
    static PyObject* const name = PyUnicode_InternFromString("value");
    PyObject* const value = PyObject_GetAttr(holder.ptr(), name);
    if (value == nullptr) PyErr_Clear();
    Py_XDECREF(value);
    return value != evaluates.ptr();
  }
};

class CallHooks;
CallHooks* installed = nullptr;
vectorcallfunc original = nullptr;

PyObject* call_seen(PyObject* function, PyObject* const* arguments, std::size_t flags,
                    PyObject* keywords);

// The pointer through which an object's calls go. Null: its type has none.
vectorcallfunc* call_pointer(nb::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  if (!PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL) || type->tp_vectorcall_offset <= 0)
    return nullptr;
  return reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(object.ptr()) +
                                           type->tp_vectorcall_offset);
}

std::uint64_t bits_of(nb::handle numbers) {
  std::uint64_t bits = 0;
  for (const nb::handle number : numbers)
    if (const auto bit = nb::cast<long>(number); bit >= 0 && bit < 64) bits |= 1ull << bit;
  return bits;
}

const void* code_in(nb::handle code) { return code.is_none() ? nullptr : code.ptr(); }

class CallHooks {
 public:
  CallHooks(Callbacks callbacks, TraceState trace, nb::object array, unsigned long thread)
      : callbacks_(std::move(callbacks)),
        trace_(std::move(trace)),
        array_(std::move(array)),
        thread_(thread) {}
  ~CallHooks() { remove(); }
  CallHooks(const CallHooks&) = delete;
  CallHooks& operator=(const CallHooks&) = delete;

  // Whether calls of such functions can be seen. Contract: two new functions, which nobody calls.
  static bool learn(nb::handle first, nb::handle second) {
    const vectorcallfunc *const one = call_pointer(first), *const other = call_pointer(second);
    if (one == nullptr || other == nullptr || *one == nullptr || *one != *other) return false;
    if (*one != &call_seen) original = *one;
    return original != nullptr;
  }
  void install() { installed = this; }
  // Functions keep the pointer, which leads to the original from now on.
  void remove() {
    if (installed == this) installed = nullptr;
  }

  // Wraps what makes jitted functions: (name, function, cache_miss, static_argnums, …).
  static nb::object seeing(nb::object self, nb::object make) {
    return nb::cpp_function(
        [self = std::move(self), make = std::move(make)](nb::args arguments, nb::kwargs named) {
          nb::object made = make(*arguments, **named);
          nb::cast<CallHooks&>(self).made(made, arguments);
          return made;
        });
  }

  PyObject* call(PyObject* object, PyObject* const* arguments, std::size_t flags,
                 PyObject* keywords) {
    const std::uint64_t start = laptime_begin();
    const SeenFunction* const seen = start != 0 ? functions_.find(object) : nullptr;
    if (seen == nullptr || trace_.is_tracing()) return original(object, arguments, flags, keywords);
    ++calls_;
    if (busy_thread_ != 0 && PyThread_get_thread_ident() == busy_thread_)
      return original(object, arguments, flags, keywords);
    const SeenFunction function = *seen;
    const OutermostCall outermost(function.number);
    const std::uint32_t line = torch::call_site_here();
    if (makes_steps() && !is_annotated_) {
      const std::uint64_t inputs =
          inputs_of(arguments, PyVectorcall_NARGS(flags), function.static_arguments, array_.ptr());
      const bool differentiated = functions_.is_differentiated(function.number);
      if (!notice({function.number, line, differentiated, inputs}, start)) return nullptr;
    }
    PyObject* const result = original(object, arguments, flags, keywords);
    put_span(function.name, start, line);
    return result;
  }

  // JAX prepares to differentiate a function: it traces it.
  void differentiating(nb::handle) {
    if (thread_calls.is_in_call) {
      functions_.differentiate(thread_calls.function);
      rules_.differentiated(thread_calls.function);
      if (!std::exchange(has_trained_, true)) thread_ = PyThread_get_thread_ident();
      return;
    }
    if (thread_calls.traces > 0) return functions_.differentiate(thread_calls.function);
    if (!makes_steps() || is_annotated_ || trace_.is_tracing()) return;
    const std::uint64_t moment = laptime_begin();
    const std::uint32_t line = torch::call_site_here();
    if (moment != 0 && line != 0 && !notice({kNoFunction, line, true, 0}, moment))
      throw nb::python_error();
  }

  // A function is traced, in a call or apart from it (lower).
  void tracing_began(const std::string& name, nb::handle code) {
    if (!thread_calls.is_in_call && thread_calls.traces++ == 0)
      thread_calls.function = functions_.number_of(name, code_in(code));
  }
  void tracing_ended() {
    if (!thread_calls.is_in_call && thread_calls.traces > 0) --thread_calls.traces;
  }

  // A context with another trace.
  static void context_began(nb::handle) { ++trace_contexts; }
  static void context_ended(nb::handle, nb::handle, nb::handle) {
    if (trace_contexts > 0) --trace_contexts;  // 0: it began before the hooks
  }

  // The program marks a step by jax.profiler.StepTraceAnnotation.
  void annotation_began() {
    if (!makes_steps()) return;
    is_annotated_ = true;
    begin(ticks());
    record::begin_step();
  }
  void annotation_ended(const std::string& phase) {
    if (!makes_steps() || !is_annotated_) return;
    if (reports_steps_)
      callbacks_.mark(phase, 0, 0);
    else
      record::mark_step({.samples = 0,
                         .phase = record::intern(phase),
                         .ops = record::StepMark::Ops::unknown,
                         .end = 0});
  }

  void finish() {
    if (makes_steps() && !is_annotated_) mark(rules_.finished(last_event()));
  }

  // Called in a forked child, which has seen no calls.
  void start_over(unsigned long thread) {
    rules_ = {};
    writer_ = {};
    thread_ = thread;
    busy_thread_ = 0;
    has_trained_ = is_annotated_ = by_program_ = has_begun_ = recorded_ = false;
  }

  std::uint64_t calls() const { return calls_; }
  bool recorded() const { return recorded_; }
  void set_recorded(bool recorded) { recorded_ = recorded; }
  bool reports_steps() const { return reports_steps_; }
  void set_reports_steps(bool reports_steps) { reports_steps_ = reports_steps; }
  bool by_program() const { return by_program_; }
  void set_by_program(bool by_program) { by_program_ = by_program; }
  // What laptime itself computes on the calling thread is no step.
  void set_busy(bool busy) { busy_thread_ = busy ? PyThread_get_thread_ident() : 0; }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object* object : {&callbacks_.begin, &callbacks_.mark, &callbacks_.identify,
                                     &trace_.holder, &trace_.evaluates, &array_})
      Py_VISIT(object->ptr());
    return 0;
  }
  void clear() {
    remove();
    callbacks_ = {};
  }

 private:
  void made(nb::handle function, const nb::args& arguments) {
    vectorcallfunc* const pointer = call_pointer(function);
    if (pointer == nullptr || (*pointer != original && *pointer != &call_seen)) return;
    try {
      if (arguments.size() < 4) return;
      const nb::object found = callbacks_.identify(arguments[0], arguments[1]);
      if (found.is_none()) return;
      functions_.add(function.ptr(), nb::cast<std::string>(found[0]), code_in(found[1]),
                     bits_of(arguments[3]));
      *pointer = &call_seen;
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // an interruption belongs to the program
    } catch (const std::exception&) {
      return;  // another form of arguments: the function's calls stay unseen
    }
  }

  bool makes_steps() const {
    const unsigned long thread = PyThread_get_thread_ident();
    return thread == thread_ && thread != busy_thread_ && !by_program_;
  }

  // False: an exception of the program's own was raised meanwhile.
  bool notice(const Call& call, std::uint64_t moment) {
    try {
      begin(moment);
      mark(rules_.called(call, moment));
      return true;
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
  }

  void begin(std::uint64_t moment) {
    if (std::exchange(has_begun_, true)) return;
    callbacks_.begin();
    record::begin_step_at(moment);
  }

  void mark(const CallRules::EndedSteps& ended) {
    for (const steps::EndedStep& step : ended) {
      if (step.begin != 0) record::begin_step_at(step.begin);
      if (reports_steps_)
        callbacks_.mark(steps::phase_name(step.phase), step.samples, step.moment);
      else
        writer_.write(step);
    }
  }

  static void put_span(std::uint32_t name, std::uint64_t start, std::uint32_t line) {
    const std::uint64_t end = ticks();
    note_event(end);
    const record::Span span{.start = start, .end = end, .name = name, .kind = SpanKind::dispatch};
    const record::Arg argument{ArgKey::call_site, ArgType::call_site, line};
    record::put_span(span, &argument, line != 0 ? 1 : 0);
  }

  Callbacks callbacks_;
  TraceState trace_;
  nb::object array_;
  unsigned long thread_, busy_thread_ = 0;
  SeenFunctions functions_;
  CallRules rules_;
  steps::StepWriter writer_;
  std::uint64_t calls_ = 0;
  bool has_begun_ = false, has_trained_ = false, is_annotated_ = false, by_program_ = false,
       recorded_ = false, reports_steps_ = false;
};

PyObject* call_seen(PyObject* function, PyObject* const* arguments, std::size_t flags,
                    PyObject* keywords) {
  return thread_calls.is_in_call || installed == nullptr
             ? original(function, arguments, flags, keywords)
             : installed->call(function, arguments, flags, keywords);
}

int traverse_hooks(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<CallHooks>(self)->traverse(visit, arg) : 0;
}

int clear_hooks(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<CallHooks>(self)->clear();
  return 0;
}

PyType_Slot hook_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse_hooks)},
                            {Py_tp_clear, reinterpret_cast<void*>(&clear_hooks)},
                            {0, nullptr}};

}  // namespace

void bind_call_hooks(nb::module_& module) {
  nb::module_ m = module.def_submodule("jax_calls", "Sees what a JAX program calls.");
  nb::class_<CallHooks>(m, "CallHooks", nb::type_slots(hook_slots))
      .def(
          "__init__",
          [](CallHooks* self, nb::object begin, nb::object mark, nb::object trace,
             nb::object evaluates, nb::object array, nb::object identify, unsigned long thread) {
            new (self)
                CallHooks({std::move(begin), std::move(mark), std::move(identify)},
                          {std::move(trace), std::move(evaluates)}, std::move(array), thread);
          },
          nb::kw_only(), nb::arg("begin"), nb::arg("mark"), nb::arg("trace"), nb::arg("evaluates"),
          nb::arg("array"), nb::arg("identify"), nb::arg("thread"))
      .def_static("learn", &CallHooks::learn, nb::arg("first"), nb::arg("second"))
      .def("install", &CallHooks::install)
      .def("remove", &CallHooks::remove)
      .def("seeing",
           [](nb::object self, nb::object make) {
             return CallHooks::seeing(std::move(self), std::move(make));
           })
      .def("differentiating", &CallHooks::differentiating, nb::arg("first").none())
      .def("tracing_began", &CallHooks::tracing_began, nb::arg("name"), nb::arg("code").none())
      .def("tracing_ended", &CallHooks::tracing_ended)
      .def_static("context_began", &CallHooks::context_began, nb::arg("first").none())
      .def_static("context_ended", &CallHooks::context_ended, nb::arg("first").none(),
                  nb::arg("result").none(), nb::arg("raised").none())
      .def("annotation_began", &CallHooks::annotation_began)
      .def("annotation_ended", &CallHooks::annotation_ended, nb::arg("phase"))
      .def("finish", &CallHooks::finish)
      .def("start_over", &CallHooks::start_over, nb::arg("thread"))
      .def("set_busy", &CallHooks::set_busy, nb::arg("busy"))
      .def_prop_ro("calls", &CallHooks::calls)
      .def_prop_rw("recorded", &CallHooks::recorded, &CallHooks::set_recorded)
      .def_prop_rw("reports_steps", &CallHooks::reports_steps, &CallHooks::set_reports_steps)
      .def_prop_rw("by_program", &CallHooks::by_program, &CallHooks::set_by_program);
  bind_wait_hooks(m);
  bind_compilations(m);
}

}  // namespace laptime::jax
