// The C interface (include/laptime/laptime.h) over the recorder.
#include <cstdlib>
#include <cstring>
#include <string>

#include "laptime/laptime.h"
#include "record/collector.h"
#include "record/put.h"
#include "record/recorder.h"

using namespace laptime;
using namespace laptime::record;

namespace {

thread_local std::string last_error;

int fail_with(const Error& error) {
  last_error = error.message;
  print_line(error.message);
  return -1;
}

std::uint64_t limit_from_environment() {
  const char* text = std::getenv("LAPTIME_MEMORY_LIMIT");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

int start_recording(RecordingPlan plan) {
  static const int registered = std::atexit([] { laptime_stop(); });
  (void)registered;
  // also registers the fork handlers: a child must not write into its parent's part
  thread_state();
  const Status status = Recorder::get().start(std::move(plan));
  return status ? 0 : fail_with(status.error());
}

// Under `laptime run` recording starts when the library is loaded, before main.
__attribute__((constructor)) void start_from_environment() {
  const char* folder = std::getenv("LAPTIME_RECORD");
  if (!folder || !*folder) return;
  RecordingPlan plan{.folder = folder, .seal_as = ""};
  if (const std::uint64_t limit = limit_from_environment()) plan.memory_limit = limit;
  start_recording(std::move(plan));
}

}  // namespace

extern "C" {

int laptime_start(const char* path, const laptime_options* options) noexcept {
  const std::string file = path ? path : "laptime.lap";
  RecordingPlan plan{.folder = file + ".d", .seal_as = file};
  if (const std::uint64_t limit = limit_from_environment()) plan.memory_limit = limit;
  if (options &&
      options->size >= offsetof(laptime_options, memory_limit) + sizeof options->memory_limit &&
      options->memory_limit)
    plan.memory_limit = options->memory_limit;
  return start_recording(std::move(plan));
}

int laptime_stop(void) noexcept {
  const Status status = Recorder::get().stop();
  return status ? 0 : fail_with(status.error());
}

const char* laptime_error(void) noexcept { return last_error.c_str(); }
const char* laptime_version(void) noexcept { return LAPTIME_VERSION; }
uint64_t laptime_now(void) noexcept { return ticks(); }
uint32_t laptime_name(const char* text, size_t length) noexcept { return intern({text, length}); }

void laptime_end_site(laptime_site* site, uint64_t start) noexcept {
  const uint64_t end = ticks();
  uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
  if (id == 0) [[unlikely]] {
    id = intern(site->name);
    __atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
  }
  put_record(span_record({start, end, id}));
}

void laptime_end_name(uint32_t name, uint64_t start) noexcept {
  if (start != 0) put_record(span_record({start, ticks(), name}));
}

void laptime_mark_step(uint64_t samples) noexcept { mark_step({.samples = samples}); }
void laptime_record_value(uint32_t name, double value) noexcept { put_value(ticks(), name, value); }
void laptime_name_thread(const char* name) noexcept { name_thread(name); }
}
