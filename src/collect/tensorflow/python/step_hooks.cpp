#include "collect/tensorflow/python/step_hooks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/steps/step_rules.h"
#include "collect/steps/step_writer.h"
#include "collect/tensorflow/input_hook.h"
#include "collect/tensorflow/log_level.h"
#include "collect/tensorflow/python/eager_calls.h"
#include "format/names.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::tensorflow {

using steps::EndedStep;
using steps::EndedSteps;
using steps::StepPhase;
using steps::StepRules;

namespace {

using CallSiteFunction = std::uint32_t (*)();

// Callbacks into Python for events that do not occur in every step.
struct StepCallbacks {
  nb::object begin;       // (): the first step of all begins
  nb::object mark;        // (phase, samples, ticks): a step ended at that time; 0: now
  nb::object add_loader;  // (iterator) -> the number of its dataset
  // (tf.function) -> its name, whether a graph of it computes gradients. `function_dropped` reports
  // its end.
  nb::object name_of;
};

struct Function {
  std::uint32_t name;   // interned
  bool trains = false;  // a tape computed gradients while it was traced
};

// The calls of functions on a thread.
struct FunctionCalls {
  int depth = 0;                // nested calls
  Function* running = nullptr;  // the outermost of them
  // Of the last outermost call: when it began, the call site.
  std::uint64_t start = 0;
  std::uint32_t line = 0;
};

thread_local FunctionCalls calls;

// When the calls of optimizers on this thread began, those within each other.
thread_local std::vector<std::uint64_t> optimizer_starts;

constexpr int kDeepestBatch = 4;  // most nested structures in a batch

// The first dimension of the batch's first tensor. 0: unknown.
std::uint64_t samples_in(nb::object batch) {
  for (int depth = 0; depth < kDeepestBatch; ++depth) {
    if (PyTuple_Check(batch.ptr()) || PyList_Check(batch.ptr())) {
      if (PySequence_Fast_GET_SIZE(batch.ptr()) == 0) return 0;
      batch = nb::borrow(PySequence_Fast_GET_ITEM(batch.ptr(), 0));
    } else if (PyDict_Check(batch.ptr())) {
      PyObject *key = nullptr, *value = nullptr;
      Py_ssize_t position = 0;
      if (!PyDict_Next(batch.ptr(), &position, &key, &value)) return 0;
      batch = nb::borrow(value);
    } else {
      const nb::object shape = nb::getattr(batch, "shape", nb::none());
      if (shape.is_none() || PyObject_Length(shape.ptr()) < 1) break;
      std::uint64_t samples = 0;
      return nb::try_cast(nb::object(shape[0]), samples) ? samples : 0;
    }
  }
  PyErr_Clear();
  return 0;
}

class StepHooks {
 public:
  StepHooks(StepCallbacks callbacks, std::uintptr_t call_site, unsigned long thread)
      : callbacks_(std::move(callbacks)),
        call_site_(reinterpret_cast<CallSiteFunction>(call_site)),
        main_thread_(thread),
        thread_(thread) {}

  // Called in a forked child, which has seen no events.
  void start_over(unsigned long thread) {
    calls = {};
    *this = StepHooks(std::move(callbacks_), reinterpret_cast<std::uintptr_t>(call_site_), thread);
  }

  void batch_requested(nb::handle iterator) {
    if (!makes_steps()) return;
    if (rules_.is_between()) record::begin_step();
    begin();
    mark(rules_.request(loader_of(iterator), true, false));
  }

  void batch_received(nb::handle iterator, nb::handle batch, nb::handle raised) {
    if (!makes_steps()) return;
    const std::int64_t loader = loader_of(iterator);
    if (raised.is_none())
      rules_.received(loader, samples_in(nb::borrow(batch)), true);
    else if (PyErr_GivenExceptionMatches(raised.ptr(), PyExc_StopIteration))
      rules_.closed(loader);
  }

  // `iterator`: its address, which another object may have from now on.
  void iterator_dropped(std::uintptr_t iterator) {
    const auto it = loaders_.find(iterator);
    if (it == loaders_.end()) return;
    const std::int64_t loader = it->second;
    loaders_.erase(it);
    if (makes_steps()) mark(rules_.dropped(loader));
  }

  void function_began(nb::handle function) {
    if (PyThread_get_thread_ident() == busy_thread_ || calls.depth++ > 0) return;
    calls.running = &function_of(function);
    calls.start = laptime_begin();
    calls.line = calls.start == 0 ? 0 : call_site_();
    if (!is_on_thread()) return;
    running_ = calls.running;
    requests_ = input_requests();
  }

  void function_ended(nb::handle function, nb::handle, nb::handle raised) {
    if (calls.depth == 0 || --calls.depth > 0) return;
    const Function* const ended = std::exchange(calls.running, nullptr);
    if (is_on_thread()) running_ = nullptr;
    put_dispatch(*ended);
    if (!ended->trains || !raised.is_none()) return;
    note_training();
    if (!makes_steps()) return;
    begin();
    mark_requests();
    mark(rules_.function_stepped(number_of(function), ticks()));
  }

  void function_dropped(std::uintptr_t function) { functions_.erase(function); }

  // A tape computes gradients, perhaps while a function is traced, perhaps on a thread that a
  // distribution strategy made for that.
  void gradient_began(nb::handle) {
    if (Function* const function = traced(); function != nullptr)
      function->trains = true;
    else if (makes_steps())
      begin();
  }

  void gradient_ended(nb::handle, nb::handle, nb::handle raised) {
    if (traced() != nullptr || !raised.is_none()) return;
    note_training();
    if (makes_steps()) mark(rules_.backward_ended(call_site_(), ticks()));
  }

  void optimizer_made() {
    if (makes_steps()) rules_.optimizer_made();
  }

  void optimizer_began(nb::handle) { optimizer_starts.push_back(laptime_begin()); }

  void optimizer_stepped(nb::handle optimizer, nb::handle, nb::handle raised) {
    put_optimizer();
    if (traced() == nullptr && raised.is_none() && makes_steps())
      mark(rules_.optimizer_stepped(number_of(optimizer), ticks()));
  }

  // No more events are seen.
  void finish() {
    if (makes_steps()) mark(rules_.finished());
  }

  // When the batches were requested that the last outermost call requested itself, in ticks.
  std::vector<std::uint64_t> requests_of_call() const { return request_starts(requests_); }

  bool recorded() const { return recorded_; }
  void set_recorded(bool recorded) { recorded_ = recorded; }
  bool reports_steps() const { return reports_steps_; }
  void set_reports_steps(bool reports_steps) { reports_steps_ = reports_steps; }
  bool by_program() const { return by_program_; }
  void set_by_program(bool by_program) { by_program_ = by_program; }
  // Another framework makes steps. TensorFlow makes none unless it trains, too: it reads the input.
  bool by_another() const { return by_another_; }
  void set_by_another(bool by_another) { by_another_ = by_another; }

  // laptime works on the calling thread. What it computes meanwhile is no step of the program.
  void set_busy(bool busy) { busy_thread_ = busy ? PyThread_get_thread_ident() : 0; }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object* object :
         {&callbacks_.begin, &callbacks_.mark, &callbacks_.add_loader, &callbacks_.name_of})
      Py_VISIT(object->ptr());
    return 0;
  }
  void clear() { callbacks_ = {}; }

 private:
  static std::int64_t number_of(nb::handle object) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(object.ptr()));
  }
  bool is_on_thread() const {
    const unsigned long thread = PyThread_get_thread_ident();
    return thread == thread_ && thread != busy_thread_;
  }
  // Whether an event on this thread, outside of a function's tracing, may belong to a step.
  bool makes_steps() const {
    return is_on_thread() && calls.depth == 0 && !by_program_ && (!by_another_ || trains_);
  }

  // The function that the calling thread traces or runs. Null: it runs eagerly. A distribution
  // strategy traces on a thread of its own.
  Function* traced() const { return calls.running != nullptr ? calls.running : running_; }

  // The calling thread has trained. Steps belong to the first thread that trains, or to the main
  // thread if that trains, too.
  void note_training() {
    const unsigned long thread = PyThread_get_thread_ident();
    if (thread == busy_thread_) return;
    if (thread != thread_ && (!trains_ || thread == main_thread_)) {
      thread_ = thread;
      if (trains_) rules_ = {};
    }
    trains_ = true;
  }

  void begin() {
    if (!std::exchange(has_begun_, true)) callbacks_.begin();
  }

  Function& function_of(nb::handle function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function.ptr());
    if (const auto it = functions_.find(address); it != functions_.end()) return it->second;
    const nb::object found = callbacks_.name_of(function);
    return functions_
        .emplace(address, Function{.name = record::intern(nb::cast<std::string>(found[0])),
                                   .trains = nb::cast<bool>(found[1])})
        .first->second;
  }

  std::int64_t loader_of(nb::handle iterator) {
    const auto address = reinterpret_cast<std::uintptr_t>(iterator.ptr());
    if (const auto it = loaders_.find(address); it != loaders_.end()) return it->second;
    const auto loader = nb::cast<std::int64_t>(callbacks_.add_loader(iterator));
    loaders_.emplace(address, loader);
    return loader;
  }

  void put_dispatch(const Function& function) const {
    if (calls.start == 0) return;
    const record::Arg line{ArgKey::call_site, ArgType::call_site, calls.line};
    record::put_span(
        {.start = calls.start, .end = ticks(), .name = function.name, .kind = SpanKind::dispatch},
        &line, calls.line == 0 ? 0 : 1);
  }

  // Nothing while a function is traced: its ops run later.
  void put_optimizer() const {
    static const std::uint32_t name =
        record::intern(std::string(span_name::kOptimizerStep) + "Optimizer.apply");
    if (optimizer_starts.empty()) return;
    const std::uint64_t start = optimizer_starts.back();
    optimizer_starts.pop_back();
    if (start == 0 || traced() != nullptr) return;
    const record::Arg line{ArgKey::call_site, ArgType::call_site, call_site_()};
    record::put_span({.start = start, .end = ticks(), .name = name, .kind = SpanKind::optimizer},
                     &line, line.value == 0 ? 0 : 1);
  }

  // Ends a step at each batch that the function requested itself, except the first one.
  void mark_requests() {
    const std::vector<std::uint64_t> starts = busiest_request_starts(requests_);
    for (std::size_t i = 1; i < starts.size(); ++i)
      mark(EndedStep{.phase = StepPhase::train, .samples = 0, .moment = starts[i]});
  }

  void mark(const EndedSteps& ended) {
    mark(ended.before);
    mark(ended.now);
  }

  void mark(const std::optional<EndedStep>& ended) {
    if (!ended) return;
    if (ended->begin != 0) record::begin_step_at(ended->begin);
    if (reports_steps_)
      callbacks_.mark(steps::phase_name(ended->phase), ended->samples, ended->moment);
    else
      writer_.write(*ended);
  }

  StepCallbacks callbacks_;
  CallSiteFunction call_site_;
  unsigned long main_thread_, thread_;  // whose steps are marked
  unsigned long busy_thread_ = 0;
  StepRules rules_;
  steps::StepWriter writer_;
  std::unordered_map<std::uintptr_t, std::int64_t> loaders_;  // of living iterators
  std::unordered_map<std::uintptr_t, Function> functions_;    // living
  Function* running_ = nullptr;  // the outermost call on the thread whose steps are marked
  std::uint64_t requests_ = 0;   // before the last of these calls
  bool has_begun_ = false, by_program_ = false, by_another_ = false, trains_ = false,
       recorded_ = false, reports_steps_ = true;
};

int traverse_hooks(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<StepHooks>(self)->traverse(visit, arg) : 0;
}

int clear_hooks(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<StepHooks>(self)->clear();
  return 0;
}

PyType_Slot hook_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse_hooks)},
                            {Py_tp_clear, reinterpret_cast<void*>(&clear_hooks)},
                            {0, nullptr}};

}  // namespace

void bind_step_hooks(nb::module_& module) {
  nb::module_ m = module.def_submodule(
      "tensorflow_steps", "Finds steps from the events of TensorFlow's Python interface.");
  m.def("install_input_hook", [] {
    const char* const problem = install_input_hook();
    return std::string(problem == nullptr ? "" : problem);
  });
  m.def("set_log_level", &set_log_level, nb::arg("level"));
  m.attr("ERRORS_ONLY") = kErrorsOnly;
  bind_eager_calls(m);
  nb::class_<StepHooks>(m, "StepHooks", nb::type_slots(hook_slots))
      .def(
          "__init__",
          [](StepHooks* self, nb::object begin, nb::object mark, nb::object add_loader,
             nb::object name_of, std::uintptr_t call_site, unsigned long thread) {
            new (self) StepHooks(
                {std::move(begin), std::move(mark), std::move(add_loader), std::move(name_of)},
                call_site, thread);
          },
          nb::kw_only(), nb::arg("begin"), nb::arg("mark"), nb::arg("add_loader"),
          nb::arg("name_of"), nb::arg("call_site"), nb::arg("thread"))
      .def("start_over", &StepHooks::start_over, nb::arg("thread"))
      .def("batch_requested", &StepHooks::batch_requested)
      .def("batch_received", &StepHooks::batch_received, nb::arg("iterator"),
           nb::arg("batch").none(), nb::arg("raised").none())
      .def("iterator_dropped", &StepHooks::iterator_dropped)
      .def("function_began", &StepHooks::function_began)
      .def("function_ended", &StepHooks::function_ended, nb::arg("function"),
           nb::arg("result").none(), nb::arg("raised").none())
      .def("function_dropped", &StepHooks::function_dropped)
      .def("gradient_began", &StepHooks::gradient_began)
      .def("gradient_ended", &StepHooks::gradient_ended, nb::arg("tape"), nb::arg("result").none(),
           nb::arg("raised").none())
      .def("optimizer_made", &StepHooks::optimizer_made)
      .def("optimizer_began", &StepHooks::optimizer_began)
      .def("optimizer_stepped", &StepHooks::optimizer_stepped, nb::arg("optimizer"),
           nb::arg("result").none(), nb::arg("raised").none())
      .def("finish", &StepHooks::finish)
      .def("requests_of_call",
           [](const StepHooks& hooks) {
             nb::list starts;
             for (const std::uint64_t start : hooks.requests_of_call()) starts.append(start);
             return starts;
           })
      .def("set_busy", &StepHooks::set_busy)
      .def_prop_rw("recorded", &StepHooks::recorded, &StepHooks::set_recorded)
      .def_prop_rw("reports_steps", &StepHooks::reports_steps, &StepHooks::set_reports_steps)
      .def_prop_rw("by_program", &StepHooks::by_program, &StepHooks::set_by_program)
      .def_prop_rw("by_another", &StepHooks::by_another, &StepHooks::set_by_another);
}

}  // namespace laptime::tensorflow
