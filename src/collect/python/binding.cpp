#include "collect/python/binding.h"

#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clock.h"
#include "collect/python/code/code_registry.h"
#include "collect/python/code/command_code.h"
#include "collect/python/code/source_keeper.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/functions/function_snapshot.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/python/lines/line_engine.h"
#include "collect/python/lines/line_snapshot.h"
#include "collect/python/notices.h"
#include "collect/python/tally_writer.h"
#include "collect/python/tick_rate.h"

namespace nb = nanobind;

namespace laptime::python {

namespace {

using SlotList = std::vector<const ThreadSlot*>;

SlotList all_slots() {
  SlotList slots;
  for (const auto& slot : ThreadSlots::instance().all()) slots.push_back(slot.get());
  return slots;
}

// Calls `snapshot(slots)` for all threads together, or for each one as {(ident, name): result}.
template <typename Snapshot>
nb::object for_threads(bool per_thread, Snapshot snapshot) {
  if (!per_thread) return snapshot(all_slots());
  nb::dict threads;
  for (const ThreadSlot* slot : all_slots())
    threads[nb::make_tuple(slot->ident, slot->name)] = snapshot(SlotList{slot});
  return threads;
}

template <typename Label>
nb::tuple label_tuple(const Label& label) {
  return nb::make_tuple(std::get<0>(label), std::get<1>(label), std::get<2>(label));
}

nb::dict lines_dict(const SlotList& slots, double event_ns) {
  nb::dict result;
  for (const auto& [label, lines] : snapshot_lines(slots, event_ns)) {
    nb::list rows;
    for (const auto& [line, row] : lines)
      rows.append(nb::make_tuple(line, row.hits, row.inclusive_ns, row.exclusive_ns));
    result[label_tuple(label)] = rows;
  }
  return result;
}

void start_lines(std::vector<std::string> library_paths, std::vector<std::string> include,
                 std::vector<std::string> exclude, nb::object predicate, nb::object only,
                 double budget, nb::object statement_reader) {
  LineOptions options;
  options.rules = {std::move(library_paths), std::move(include), std::move(exclude)};
  if (!predicate.is_none()) options.predicate = predicate.ptr();
  if (!statement_reader.is_none()) options.statement_reader = statement_reader.ptr();
  options.explicit_only = !only.is_none();
  options.budget = budget;
  std::vector<nb::object> kept;
  if (options.explicit_only) {
    for (nb::handle code : only) {
      if (!PyCode_Check(code.ptr())) throw nb::type_error("only: code objects are expected");
      kept.push_back(nb::borrow(code));
      options.only.push_back(code.ptr());
    }
  }
  if (!LineEngine::instance().start(options)) throw nb::python_error();
}

void watch(nb::handle code) {
  if (!PyCode_Check(code.ptr())) throw nb::type_error("a code object is expected");
  LineEngine::instance().watch(code.ptr());
}

void bind_lines(nb::module_& m) {
  auto& engine = LineEngine::instance();
  m.def("start_lines", &start_lines, nb::kw_only(), nb::arg("library_paths"), nb::arg("include"),
        nb::arg("exclude"), nb::arg("predicate").none(), nb::arg("only").none(), nb::arg("budget"),
        nb::arg("statement_reader").none());
  m.def("stop_lines", [&engine] { engine.stop(); });
  m.def("watch", &watch);
  m.def(
      "snapshot_lines",
      [&engine](bool per_thread, double event_ns) {
        engine.settle_all(ticks());
        return for_threads(per_thread,
                           [&](const SlotList& slots) { return lines_dict(slots, event_ns); });
      },
      nb::arg("per_thread") = false, nb::arg("event_ns") = 0.0);
  m.def("clear_lines", [&engine] {
    write_tallies();
    engine.clear();
  });
  m.def("skip_lines_since", [&engine](std::uint64_t begin) { engine.skip_since(begin); });
  m.def("forget_lines", [&engine](nb::handle code) { engine.forget(code.ptr()); });
  m.def("in_step", [&engine] { return engine.in_step(); });
  m.def("line_events", [&engine] { return engine.events(); });
  m.def("realignments", [&engine] { return engine.realignments(); });
}

// pstats keeps (primitive calls, calls) for a function, but (calls, primitive calls) for its
// callers.
nb::dict functions_dict(const FunctionRows& rows) {
  const double seconds = 1 / ticks_per_second();
  const auto in_seconds = [&](std::uint64_t ticks) {
    return static_cast<double>(static_cast<std::int64_t>(ticks)) * seconds;
  };
  nb::dict result;
  for (const auto& [label, row] : rows) {
    nb::dict callers;
    for (const auto& [caller, t] : row.callers) {
      callers[label_tuple(caller)] = nb::make_tuple(
          t.calls, t.primitive_calls, in_seconds(t.own_ticks), in_seconds(t.cumulative_ticks));
    }
    const FunctionTotals& t = row.totals;
    result[label_tuple(label)] = nb::make_tuple(t.primitive_calls, t.calls, in_seconds(t.own_ticks),
                                                in_seconds(t.cumulative_ticks), callers);
  }
  return result;
}

// A layer of calls (call_stack.h) on the thread that opens it.
class FunctionLayer {
 public:
  ~FunctionLayer() { close(); }
  void open() {
    if (slot_ != nullptr) return;
    slot_ = ThreadSlots::current();
    slot_->calls.open_layer(layer_);
  }
  void close() {
    if (slot_ != nullptr) slot_->calls.close_layer(layer_, ticks());
    slot_ = nullptr;
  }
  nb::dict stats() const { return functions_dict(snapshot_functions(layer_)); }

 private:
  ThreadSlot* slot_ = nullptr;
  CallLayer layer_;
};

void bind_functions(nb::module_& m) {
  auto& engine = FunctionEngine::instance();
  m.def(
      "start_functions",
      [&engine](bool builtins, double budget) {
        if (!engine.start({builtins, budget})) throw nb::python_error();
      },
      nb::kw_only(), nb::arg("builtins"), nb::arg("budget"));
  m.def("stop_functions", [&engine] { engine.stop(); });
  m.def("begin_function_probe", [&engine] { engine.begin_probe(); });
  m.def("end_function_probe", [&engine] { engine.end_probe(); });
  m.def(
      "snapshot_functions",
      [](bool per_thread) {
        return for_threads(per_thread, [](const SlotList& slots) {
          return functions_dict(snapshot_functions(slots));
        });
      },
      nb::arg("per_thread") = false);
  m.def("clear_functions", [&engine] {
    write_tallies();
    engine.clear();
  });
  m.def(
      "show_profiler",
      [](nb::handle profiler) { show_profiler(profiler.is_none() ? nullptr : profiler.ptr()); },
      nb::arg("profiler").none());
  m.def("call_events", [&engine] { return engine.events(); });
  m.def("call_slips", [&engine] { return engine.slips(); });
  nb::class_<FunctionLayer>(m, "FunctionLayer")
      .def(nb::init<>())
      .def("open", &FunctionLayer::open)
      .def("close", &FunctionLayer::close)
      .def("stats", &FunctionLayer::stats);
}

const char* level_name(Level level) {
  switch (level) {
    case Level::lines:
      return "line";
    case Level::calls:
      return "call";
    case Level::counts:
      return "count";
    case Level::off:
      return "none";
  }
  return "none";
}

nb::list demoted() {
  nb::list result;
  const auto add = [&](const CodeRecord& record, Level level, const char* reason) {
    result.append(nb::make_tuple(record.file, record.first_line, record.qualified,
                                 level_name(level), reason));
  };
  for (const auto& record : CodeRegistry::instance().records()) {
    if (record->level != Level::lines)
      add(*record, record->level, "its line events cost more than the budget allows");
    if (record->function_level == Level::off)
      add(*record, Level::off, "its calls cost more than the budget allows");
  }
  return result;
}

// Whether a subinterpreter is alive, or one reported its start (python/laptime/_site). It may be
// gone by now.
bool had_subinterpreters() {
  if (PyInterpreterState_Next(PyInterpreterState_Head()) != nullptr) return true;
  const char* reported = std::getenv("LAPTIME_SUBINTERPRETERS");
  return reported != nullptr && reported == std::to_string(::getpid());
}

void bind_shared(nb::module_& m) {
  m.def("set_command_code", [](nb::handle code) {
    if (!PyCode_Check(code.ptr())) throw nb::type_error("a code object is expected");
    set_command_code(code.ptr());
  });
  m.def("demoted", &demoted);
  m.def("notices", [] {
    if (had_subinterpreters()) {
      add_notice("subinterpreters",
                 "the program has several interpreters: only code of the main one is measured");
    }
    if (LineEngine::instance().realignments() + FunctionEngine::instance().slips() != 0) {
      add_notice("stacks_switched",
                 "the program switches stacks unseen by Python's tools (as greenlets do): times "
                 "and callers "
                 "around the switches are uncertain");
    }
    nb::list result;
    for (const Notice& notice : notices())
      result.append(nb::make_tuple(notice.name, notice.message));
    return result;
  });
  m.def("clear_notices", &clear_notices);
  m.def("set_event_cost", [](double line_ns, double entry_ns, double call_ns) {
    const double ticks_per_ns = ticks_per_second() / 1e9;
    LineEngine::instance().set_event_cost(line_ns * ticks_per_ns, entry_ns * ticks_per_ns,
                                          call_ns * ticks_per_ns);
    FunctionEngine::instance().set_event_cost(call_ns * ticks_per_ns);
  });
  m.def(
      "start_sources",
      [](std::vector<std::string> library_paths, std::vector<std::string> include,
         std::vector<std::string> exclude, nb::callable reader) {
        SourceKeeper::instance().start(
            {std::move(library_paths), std::move(include), std::move(exclude)}, reader.ptr());
      },
      nb::kw_only(), nb::arg("library_paths"), nb::arg("include"), nb::arg("exclude"),
      nb::arg("reader"));
  m.def("stop_sources", [] { SourceKeeper::instance().stop(); });
  // Each process counts its own.
  m.def("after_fork", [] {
    SourceKeeper::instance().after_fork();
    ThreadSlots::instance().after_fork();
    LineEngine::instance().clear();
    FunctionEngine::instance().clear();
  });
}

}  // namespace

void bind_engine(nb::module_& module) {
  if (!CodeRegistry::instance().initialise())
    throw nb::import_error("this interpreter keeps code extras elsewhere");
  nb::module_ m = module.def_submodule("engine", "Line and function engines of laptime.");
  bind_lines(m);
  bind_functions(m);
  bind_shared(m);
}

}  // namespace laptime::python
