// Wraps a function of other code with work before and after each call. laptime replaces methods by
// it whose calls it must see.
//
// Assumption: the GIL is held. `before` and `after` are small Python functions of laptime.
// Consequence: there is no Python frame around the function, so tracebacks, stack levels of
// warnings and profilers of the program are unchanged. Contract: arguments, result and exception of
// the function are passed on untouched. If `before` or `after` fails, one line reports it. From
// then on the function is called alone.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the type Around(function, before=None, after=None, name="", kind=0, end_name="") to the
// module. `before(first)` gets the first argument. `after(first, result, raised)` gets the result,
// or None and the exception's type. If a name is given, each call is a span. A call that raises
// StopIteration has the name `end_name`, if that is given.
void bind_around(nanobind::module_& module);

}  // namespace laptime::python
