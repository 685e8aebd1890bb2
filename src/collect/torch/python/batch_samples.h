// The number of samples in a batch of any form.
#pragma once

#include <nanobind/nanobind.h>
#include <cstdint>

#include "collect/torch/python/quiet_torch.h"

namespace laptime::torch {

// Names and types for reading batches, made once.
struct BatchWords {
  nanobind::object shape = nanobind::steal(PyUnicode_InternFromString("shape"));
  nanobind::object mapping = nanobind::module_::import_("collections.abc").attr("Mapping");
  nanobind::handle tensor;  // torch's, which lives as long as the process
  QuietTorch quiet;
};

// The first dimension of the batch's first tensor. 0: there is none. Code of a tensor's own class
// or of a torch mode does not run.
std::uint64_t samples_in(nanobind::object batch, const BatchWords& words);

}  // namespace laptime::torch
