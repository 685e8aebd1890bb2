#include "collect/torch/python/step_hooks.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/steps/step_rules.h"
#include "collect/steps/step_writer.h"
#include "collect/torch/python/backward_line.h"
#include "collect/torch/python/batch_samples.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

using steps::EndedStep;
using steps::EndedSteps;
using steps::StepRules;

namespace {

// Callbacks into Python for events that do not occur in every step.
struct StepCallbacks {
  nb::object begin;         // (): the first step of all begins
  nb::object mark;          // (phase, samples, ticks): a step ended at that time; 0: now
  nb::object gradients_on;  // () -> bool
  nb::object
      add_loader;  // (iterator) -> the number of its loader; `loader_dropped` reports its end
  nb::object is_training;  // (weak reference to a model) -> bool
  nb::object first_step;   // (optimizer): the first of its class has stepped
  nb::object shares;       // gets the batches of recorded steps: ended(), requested(), received()
};

// The names that optimizers of one class have in a run.
struct OptimizerClass {
  explicit OptimizerClass(nb::handle optimizer)
      : type(nb::borrow(optimizer.type())),
        step(name("step", "step")),
        zero_grad(name("zero_grad", "zero_grad")),
        update(name("update", "step")) {}

  nb::object type;
  std::uint32_t step, zero_grad;
  std::uint32_t update;  // a step without its closure, which is the program's forward and backward
  bool has_stepped = false;

 private:
  std::uint32_t name(const std::string& what, const std::string& method) const {
    return record::intern("Optimizer." + what + "#" + nb::cast<std::string>(type.attr("__name__")) +
                          "." + method);
  }
};

// An optimizer during its step.
struct Stepping {
  PyObject* optimizer;
  std::uint64_t start;  // ticks: the begin of the step, or the end of its closure
  bool had_closure = false;
};

void put_optimizer_span(std::uint32_t name, std::uint64_t start) {
  if (start != 0)
    record::put_span({.start = start, .end = ticks(), .name = name, .kind = SpanKind::optimizer});
}

bool refers_to(nb::handle weak_reference, nb::handle object) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* referred = nullptr;
  if (PyWeakref_GetRef(weak_reference.ptr(), &referred) < 0) PyErr_Clear();
  const nb::object kept = nb::steal(referred);
  return kept.is(object);
#else
  return PyWeakref_GetObject(weak_reference.ptr()) == object.ptr();
#endif
}

class StepHooks {
 public:
  StepHooks(StepCallbacks callbacks, BatchWords words, BackwardLine line, unsigned long thread)
      : callbacks_(std::move(callbacks)),
        words_(std::move(words)),
        line_(std::move(line)),
        thread_(thread) {}

  // Called in a forked child, which has seen no events.
  void start_over(nb::object shares, unsigned long thread) {
    callbacks_.shares = std::move(shares);
    *this = StepHooks(std::move(callbacks_), std::move(words_), std::move(line_), thread);
  }

  // A loop over a loader begins. Events since the last loop belong to no step. The start of the
  // loader's workers belongs to the first step.
  void loop_began(nb::handle) {
    if (!makes_steps() || !rules_.is_between()) return;
    record::begin_step();
    loop_has_begun_ = true;
  }

  void batch_requested(nb::handle iterator) {
    if (!makes_steps()) return;
    if (!std::exchange(loop_has_begun_, false) && rules_.is_between()) record::begin_step();
    if (!has_begun_) {
      has_begun_ = true;
      callbacks_.begin();
    }
    if (recorded_) callbacks_.shares.attr("ended")();
    gradients_ = is_true(callbacks_.gradients_on());
    const std::int64_t loader = loader_of(iterator);
    mark(rules_.request(loader, gradients_, is_evaluating()));
    if (recorded_) callbacks_.shares.attr("requested")();
  }

  void batch_received(nb::handle iterator, nb::handle batch, nb::handle raised) {
    if (!makes_steps()) return;
    const std::int64_t loader = loader_of(iterator);
    if (recorded_) callbacks_.shares.attr("received")();
    if (raised.is_none())
      rules_.received(loader, samples_in(nb::borrow(batch), words_), gradients_);
    else if (PyErr_GivenExceptionMatches(raised.ptr(), PyExc_StopIteration))
      rules_.closed(loader);
  }

  // `iterator`: its address, which another object may have from now on.
  void loader_dropped(std::uintptr_t iterator, std::int64_t loader) {
    std::erase_if(loaders_, [&](const auto& known) { return known.first == iterator; });
    if (makes_steps()) mark(rules_.dropped(loader));
  }

  // An optimizer was made before recording began.
  void optimizer_exists() {
    has_optimizer_ = true;
    rules_.optimizer_exists();
  }

  void optimizer_made() {
    has_optimizer_ = true;
    rules_.optimizer_made();
    if (!has_begun_) record::begin_step();
  }

  // `start`: when zeroing began, in ticks.
  void gradients_zeroed(nb::handle optimizer, std::uint64_t start) {
    put_optimizer_span(class_of(optimizer).zero_grad, start);
    rules_.gradients_zeroed(number_of(optimizer));
  }

  void optimizer_began(nb::handle optimizer) {
    const Stepping stepping{optimizer.ptr(), laptime_begin()};
    if (const auto it = find_stepping(optimizer); it != stepping_.end())
      *it = stepping;
    else
      stepping_.push_back(stepping);
  }

  // The step calls its closure; some do so many times.
  void closure_began(nb::handle optimizer) {
    const auto it = find_stepping(optimizer);
    if (it != stepping_.end() && it->had_closure)
      put_optimizer_span(class_of(optimizer).update, it->start);
  }

  void closure_ended(nb::handle optimizer) {
    if (const auto it = find_stepping(optimizer); it != stepping_.end())
      *it = {optimizer.ptr(), laptime_begin(), true};
  }

  void optimizer_stepped(nb::handle optimizer) {
    OptimizerClass& of = class_of(optimizer);
    if (const auto it = find_stepping(optimizer); it != stepping_.end()) {
      put_optimizer_span(it->had_closure ? of.update : of.step, it->start);
      stepping_.erase(it);
    }
    if (!std::exchange(of.has_stepped, true)) callbacks_.first_step(optimizer);
    if (notice_step()) mark(rules_.optimizer_stepped(number_of(optimizer), ticks()));
  }

  // Gradients are requested. If the thread is inside a backward, or is another one, torch requests
  // them.
  void backward_began(nb::handle) {
    if (!makes_steps() || backwards_++ > 0) return;
    backward_line_ = line_.of_caller();
    if (backward_line_ == 0 || has_begun_ || has_optimizer_) return;
    has_begun_ = true;
    callbacks_.begin();
  }

  void backward_ended(nb::handle, nb::handle, nb::handle raised) {
    if (PyThread_get_thread_ident() != thread_ || backwards_ == 0 || --backwards_ > 0) return;
    if (const std::int64_t line = std::exchange(backward_line_, 0);
        line != 0 && raised.is_none() && makes_steps())
      mark(rules_.backward_ended(line, ticks()));
  }

  // With mixed precision, a step whose gradients overflow is skipped. For the loop it is a step all
  // the same.
  void scaler_updated() {
    if (!stepped_ && notice_step()) mark(rules_.optimizer_skipped(ticks()));
    stepped_ = false;
  }

  // A model was put into eval mode. `module`: a weak reference to it.
  void evaluating(nb::object module) {
    evaluated_ = std::move(module);
    if (makes_steps()) rules_.evaluation_began(ticks());
  }

  // A model was put into training mode.
  void training(nb::handle module) {
    if (!evaluated_.is_valid() || !makes_steps() || !refers_to(evaluated_, module)) return;
    mark(rules_.evaluation_ended());
  }

  // No more events are seen.
  void finish() {
    if (makes_steps()) mark(rules_.finished());
  }

  bool recorded() const { return recorded_; }
  void set_recorded(bool recorded) { recorded_ = recorded; }
  // Whether ended steps are reported to `mark`. Otherwise they are marked here.
  bool reports_steps() const { return reports_steps_; }
  void set_reports_steps(bool reports_steps) { reports_steps_ = reports_steps; }
  // The program marks its steps itself.
  bool by_program() const { return by_program_; }
  void set_by_program(bool by_program) {
    by_program_ = by_program;
    has_begun_ |= by_program;
  }

  // laptime tests torch on the calling thread. What it computes meanwhile is no step of the
  // program.
  void set_busy(bool busy) { busy_thread_ = busy ? PyThread_get_thread_ident() : 0; }

  int traverse(visitproc visit, void* arg) const {
    for (const nb::object* object :
         {&callbacks_.begin, &callbacks_.mark, &callbacks_.gradients_on, &callbacks_.add_loader,
          &callbacks_.is_training, &callbacks_.first_step, &callbacks_.shares, &evaluated_,
          &words_.shape, &words_.mapping, &line_.codes})
      Py_VISIT(object->ptr());
    for (const OptimizerClass& known : classes_) Py_VISIT(known.type.ptr());
    return 0;
  }
  void clear() {
    callbacks_ = {};
    evaluated_ = {};
    classes_.clear();
  }

 private:
  static std::int64_t number_of(nb::handle optimizer) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(optimizer.ptr()));
  }
  static bool is_true(nb::handle object) { return object.ptr() == Py_True; }

  OptimizerClass& class_of(nb::handle optimizer) {
    for (OptimizerClass& known : classes_)
      if (known.type.ptr() == optimizer.type().ptr()) return known;
    return classes_.emplace_back(optimizer);
  }
  std::vector<Stepping>::iterator find_stepping(nb::handle optimizer) {
    return std::find_if(stepping_.begin(), stepping_.end(),
                        [&](const Stepping& known) { return known.optimizer == optimizer.ptr(); });
  }

  bool makes_steps() const {
    const unsigned long thread = PyThread_get_thread_ident();
    return thread == thread_ && thread != busy_thread_ && !by_program_;
  }

  // Whether steps are found from optimizers.
  bool notice_step() {
    stepped_ = true;
    evaluated_ = {};
    if (by_program_ || PyThread_get_thread_ident() == busy_thread_) return false;
    if (!has_trained_) {
      has_trained_ = true;
      thread_ = PyThread_get_thread_ident();
    }
    return true;
  }

  bool is_evaluating() {
    return evaluated_.is_valid() && !is_true(callbacks_.is_training(evaluated_));
  }

  std::int64_t loader_of(nb::handle iterator) {
    const auto address = reinterpret_cast<std::uintptr_t>(iterator.ptr());
    for (const auto& [known, loader] : loaders_)
      if (known == address) return loader;
    const auto loader = nb::cast<std::int64_t>(callbacks_.add_loader(iterator));
    loaders_.emplace_back(address, loader);
    return loader;
  }

  void mark(const EndedSteps& ended) {
    mark(ended.before);
    mark(ended.now);
  }

  void mark(const std::optional<EndedStep>& ended) {
    if (!ended) return;
    has_begun_ = true;
    if (ended->begin != 0) record::begin_step_at(ended->begin);
    if (reports_steps_) {
      callbacks_.mark(steps::phase_name(ended->phase), ended->samples, ended->moment);
      return;
    }
    writer_.write(*ended);
  }

  StepCallbacks callbacks_;
  BatchWords words_;
  BackwardLine line_;
  unsigned long thread_, busy_thread_ = 0;
  StepRules rules_;
  steps::StepWriter writer_;
  std::vector<std::pair<std::uintptr_t, std::int64_t>> loaders_;  // of living iterators, by address
  std::vector<OptimizerClass> classes_;
  std::vector<Stepping> stepping_;
  nb::object evaluated_;  // a weak reference; null: none since an optimizer stepped
  bool has_begun_ = false, loop_has_begun_ = false, has_optimizer_ = false, has_trained_ = false,
       by_program_ = false, recorded_ = false, reports_steps_ = true;
  int backwards_ = 0;               // nested backwards, on the thread whose steps are marked
  std::int64_t backward_line_ = 0;  // of the outermost; 0: none of the program's own
  bool stepped_ = false;            // an optimizer stepped since the gradient scaler last checked
  bool gradients_ = true;
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
      "torch_steps", "Finds steps from the events of torch's loaders and optimizers.");
  nb::class_<StepHooks>(m, "StepHooks", nb::type_slots(hook_slots))
      .def(
          "__init__",
          [](StepHooks* self, nb::object begin, nb::object mark, nb::object gradients_on,
             nb::object add_loader, nb::object is_training, nb::object first_step,
             nb::object shares, nb::tuple backward_codes, std::string torch_folder,
             unsigned long thread, nb::handle tensor, nb::handle disable, nb::handle mode_is_on) {
            new (self) StepHooks(
                {std::move(begin), std::move(mark), std::move(gradients_on), std::move(add_loader),
                 std::move(is_training), std::move(first_step), std::move(shares)},
                BatchWords{.tensor = tensor, .quiet = QuietTorch(disable, mode_is_on)},
                BackwardLine{std::move(backward_codes), std::move(torch_folder)}, thread);
          },
          nb::kw_only(), nb::arg("begin"), nb::arg("mark"), nb::arg("gradients_on"),
          nb::arg("add_loader"), nb::arg("is_training"), nb::arg("first_step"), nb::arg("shares"),
          nb::arg("backward_codes"), nb::arg("torch_folder"), nb::arg("thread"), nb::arg("tensor"),
          nb::arg("disable"), nb::arg("mode_is_on"))
      .def("start_over", &StepHooks::start_over, nb::arg("shares"), nb::arg("thread"))
      .def("loop_began", &StepHooks::loop_began)
      .def("batch_requested", &StepHooks::batch_requested)
      .def("batch_received", &StepHooks::batch_received, nb::arg("iterator"),
           nb::arg("batch").none(), nb::arg("raised").none())
      .def("loader_dropped", &StepHooks::loader_dropped)
      .def("optimizer_exists", &StepHooks::optimizer_exists)
      .def("optimizer_made", &StepHooks::optimizer_made)
      .def("backward_began", &StepHooks::backward_began, nb::arg("first").none())
      .def("backward_ended", &StepHooks::backward_ended, nb::arg("first").none(),
           nb::arg("result").none(), nb::arg("raised").none())
      .def("gradients_zeroed", &StepHooks::gradients_zeroed)
      .def("optimizer_began", &StepHooks::optimizer_began)
      .def("closure_began", &StepHooks::closure_began)
      .def("closure_ended", &StepHooks::closure_ended)
      .def("optimizer_stepped", &StepHooks::optimizer_stepped)
      .def("scaler_updated", &StepHooks::scaler_updated)
      .def("evaluating", &StepHooks::evaluating)
      .def("training", &StepHooks::training)
      .def("finish", &StepHooks::finish)
      .def("set_busy", &StepHooks::set_busy)
      .def_prop_rw("recorded", &StepHooks::recorded, &StepHooks::set_recorded)
      .def_prop_rw("reports_steps", &StepHooks::reports_steps, &StepHooks::set_reports_steps)
      .def_prop_rw("by_program", &StepHooks::by_program, &StepHooks::set_by_program);
}

}  // namespace laptime::torch
