#include "load_and_seal.h"

#include <cstdio>
#include <cstdlib>

#include "base/testing/memory_sink.h"
#include "format/seal.h"
#include "trace/run/run.h"

namespace laptime::fuzz {

namespace {

void seal_and_reopen(const RunContent& content) {
  MemorySink sink;
  if (!seal(content, sink)) return;
  const auto again = read_sealed(sink.data, "sealed again");
  if (again) return;
  std::fprintf(stderr, "a run that opened does not open once sealed: %s\n",
               again.error().message.c_str());
  std::abort();
}

}  // namespace

void load_and_seal(RunContent content, std::size_t input_size) {
  if (input_size % 8 == 0) seal_and_reopen(content);
  (void)load_run(std::move(content), "input");
}

}  // namespace laptime::fuzz
