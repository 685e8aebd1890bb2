// The module laptime._native: Python's interface to the recorder of this process.
#include <nanobind/nanobind.h>

#include "around.h"
#include "collect/cuda/python/binding.h"
#include "collect/jax/python/call_hooks.h"
#include "collect/python/binding.h"
#include "collect/python/lines/line_session.h"
#include "collect/python/tally_writer.h"
#include "collect/tensorflow/python/step_hooks.h"
#include "collect/torch/python/binding.h"
#include "collect/torch/python/interval_binding.h"
#include "collect/torch/python/memory_binding.h"
#include "collect/torch/python/session_binding.h"
#include "collect/torch/python/step_hooks.h"
#include "collect/xplane/python/binding.h"
#include "laptime/laptime.h"
#include "recording_binding.h"
#include "sigterm.h"

NB_MODULE(_native, m) {
  m.doc() = "laptime's native half: the recorder that this process shares with C and C++ code.";
  m.def("version", &laptime_version, "The version of liblaptime.so.");
  laptime::python::bind_engine(m);
  laptime::python::install_tally_writer();
  laptime::python::bind_recording(m);
  laptime::python::bind_sigterm(m);
  laptime::python::bind_line_session(m);
  laptime::torch::bind_ops(m);
  laptime::cuda::bind_gpu(m);
  laptime::python::bind_around(m);
  laptime::torch::bind_sessions(m);
  laptime::torch::bind_memory(m);
  laptime::torch::bind_step_hooks(m);
  laptime::torch::bind_intervals(m);
  laptime::tensorflow::bind_step_hooks(m);
  laptime::bind_xplane(m);
  laptime::jax::bind_call_hooks(m);
}
