// How many samples a batch holds, whatever a loader makes of it.
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>

namespace laptime::torch {

// What reads batches, made once.
struct BatchWords {
  nanobind::object shape = nanobind::steal(PyUnicode_InternFromString("shape"));
  nanobind::object mapping = nanobind::module_::import_("collections.abc").attr("Mapping");
};

// The first dimension of its first tensor. 0: there is none.
std::uint64_t samples_in(nanobind::object batch, const BatchWords& words);

}  // namespace laptime::torch
