// A function of somebody else's with something done around each call: what laptime puts in the
// place of a method that it must see called.
//
// Assumption: the GIL is held; `before` and `after` are small Python functions of laptime's own.
// Consequence: there is no Python frame around the function, so tracebacks, warnings' stack levels
// and profilers of the program look as ever. Contract: arguments, result and exception of the
// function are passed on untouched. If `before` or `after` fails, one line says so and the function
// is called alone from then on.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the type Around(function, before=None, after=None, name="", kind=0, end_name="") to the
// module. `before(first)` gets the first argument; `after(first, result, raised)` the result, or
// None and the exception's type. With a name each call is a span; one that raises StopIteration has
// `end_name`, if there is one.
void bind_around(nanobind::module_& module);

}  // namespace laptime::python
