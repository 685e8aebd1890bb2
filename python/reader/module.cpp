// The module laptime._reader: reads runs. A program that is only recorded never loads it.
#include <nanobind/nanobind.h>

#include "torch_profile.h"

NB_MODULE(_reader, m) {
  m.doc() = "laptime's reader of runs: what happened in a run, and exports of it.";
  laptime::reader::bind_torch_profile(m);
}
