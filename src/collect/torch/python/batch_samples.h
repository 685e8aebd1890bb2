// How many samples a batch holds, whatever a loader makes of it.
#pragma once

#include <nanobind/nanobind.h>
#include <cstdint>

#include "collect/torch/python/quiet_torch.h"

namespace laptime::torch {

// What reads batches, made once.
struct BatchWords {
  nanobind::object shape = nanobind::steal(PyUnicode_InternFromString("shape"));
  nanobind::object mapping = nanobind::module_::import_("collections.abc").attr("Mapping");
  nanobind::handle tensor;  // torch's, which lives as long as the process
  QuietTorch quiet;
};

// The first dimension of its first tensor. 0: there is none. What torch would hand to a tensor's
// own class, or to a mode, it does not.
std::uint64_t samples_in(nanobind::object batch, const BatchWords& words);

}  // namespace laptime::torch
