#include "record/collector.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <mutex>

#include "format/names.h"
#include "format/part_folder.h"
#include "record/put.h"
#include "record/recorder.h"

namespace laptime::record {

constinit thread_local ThreadState* this_thread = nullptr;

namespace {

pthread_key_t exit_key;

void on_thread_exit(void* state) {
  this_thread = nullptr;
  Recorder::get().retire_thread(static_cast<ThreadState*>(state));
}

void set_up_once() {
  pthread_key_create(&exit_key, &on_thread_exit);
  pthread_atfork([] { Recorder::get().before_fork(); },
                 [] { Recorder::get().after_fork_in_parent(); },
                 [] { Recorder::get().after_fork_in_child(); });
}

void put_records(const RawRecord* records, std::size_t count) noexcept {
  if (ThreadState* const thread = thread_state()) put_records(*thread, records, count);
}

void put_with_args(ThreadState& thread, const RawRecord& first, const Arg* args,
                   std::uint32_t count) noexcept {
  constexpr std::uint32_t kMostArgs = 15;
  RawRecord records[1 + kMostArgs];
  count = count < kMostArgs ? count : kMostArgs;
  records[0] = first;
  for (std::uint32_t i = 0; i < count; ++i)
    records[1 + i] = {0,
                      args[i].value,
                      0,
                      static_cast<std::uint32_t>(args[i].key),
                      first.track,
                      static_cast<std::uint8_t>(args[i].type),
                      RecordType::arg};
  put_records(thread, records, 1 + count);
}

void put_with_args(const RawRecord& first, const Arg* args, std::uint32_t count) noexcept {
  if (ThreadState* const thread = thread_state()) [[likely]]
    put_with_args(*thread, first, args, count);
}

RawRecord op_record(const Op& op) {
  return {op.start,      op.end, op.link, op.name, op.args, static_cast<std::uint8_t>(op.kind),
          RecordType::op};
}

}  // namespace

ThreadState* attach_this_thread() noexcept {
  static std::once_flag once;
  std::call_once(once, &set_up_once);
  this_thread = Recorder::get().attach_thread();
  if (this_thread) pthread_setspecific(exit_key, this_thread);
  return this_thread;
}

RawRecord* renew_slot(ThreadState& thread, std::size_t count) noexcept {
  return Recorder::get().renew(thread, count);
}

std::uint32_t epoch() noexcept { return Recorder::get().epoch(); }
const char* part_path() noexcept {
  const Recording* const recording = Recorder::get().current();
  return recording ? recording->part.path().c_str() : "";
}
int open_shared_file(int flags) noexcept {
  const Recording* const recording = Recorder::get().current();
  if (recording == nullptr) return -1;
  const std::string& part = recording->part.path();
  const std::string file = part.substr(0, part.rfind('/') + 1) + kSharedFile;
  return ::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}
std::int64_t part_ns(std::uint64_t ticks) noexcept {
  const Recording* const recording = Recorder::get().current();
  return recording ? static_cast<std::int64_t>(recording->scale.to_ns(ticks)) : 0;
}
std::uint32_t intern(std::string_view text) noexcept { return Recorder::get().intern(text); }
const char* name_text(std::uint32_t id) noexcept { return Recorder::get().name_text(id); }
std::uint16_t add_track(TrackKind kind, std::uint64_t os_id, std::string_view name) noexcept {
  return Recorder::get().add_track(kind, os_id, name);
}
std::uint32_t add_code(std::string_view file, std::string_view name, std::uint32_t first_line,
                       std::uint32_t flags) noexcept {
  return Recorder::get().add_code(file, name, first_line, flags);
}
void set_code_flags(std::uint32_t code, std::uint32_t flags) noexcept {
  Recorder::get().set_code_flags(code, flags);
}
std::uint32_t add_frame(std::uint32_t caller, std::uint32_t code, std::uint32_t line) noexcept {
  return Recorder::get().add_frame(caller, code, line);
}
std::uint32_t add_call_site(std::uint32_t code, std::uint32_t line, std::uint32_t module,
                            std::uint32_t frame) noexcept {
  return Recorder::get().add_call_site({0, code, line, module, frame});
}
std::uint32_t new_call_site(std::uint32_t code, std::uint32_t line, std::uint32_t module,
                            std::uint32_t frame) noexcept {
  return Recorder::get().new_call_site({0, code, line, module, frame});
}
void set_call_site(std::uint32_t call_site, std::uint32_t code, std::uint32_t line,
                   std::uint32_t module) noexcept {
  Recorder::get().set_call_site(call_site, code, line, module);
}
std::uint32_t add_launch_config(const LaunchConfig& config) noexcept {
  return Recorder::get().add_launch_config(config);
}
std::uint16_t add_args(const Arg* args, std::uint32_t count) noexcept {
  return Recorder::get().add_args(args, count);
}
const char* code_file(std::uint32_t index) noexcept { return Recorder::get().code_file(index); }
void add_source(std::string_view file, std::string_view text) noexcept {
  Recorder::get().add_source(file, text);
}
void repeat_sources() noexcept { Recorder::get().repeat_sources(); }
void warn_source_left_out() noexcept { Recorder::get().warn_source_left_out(); }
void set_property(std::string_view key, const PropertyValue& value) noexcept {
  Recorder::get().set_property(key, value);
}
void set_device_property(Device device, std::string_view key, const PropertyValue& value) noexcept {
  Recorder::get().set_device_property(device, key, value);
}
std::uint32_t add_device(Device device) noexcept { return Recorder::get().add_device(device); }
std::uint32_t warning_index(std::string_view name, Severity severity,
                            std::string_view message) noexcept {
  return Recorder::get().warning_index(name, severity, message);
}
void name_thread(std::string_view name) noexcept {
  if (ThreadState* const thread = thread_state()) Recorder::get().name_thread(*thread, name);
}

std::uint32_t track_of_thread(std::uint64_t os_thread, std::string_view name) noexcept {
  return Recorder::get().track_of_thread(os_thread, name);
}

Cursor* open_thread(std::uint64_t os_thread, std::string_view name) noexcept {
  return Recorder::get().open_thread(os_thread, name);
}

void put_span_of(Cursor* cursor, const Span& span, const Arg* args, std::uint32_t count) noexcept {
  auto* const thread = static_cast<ThreadState*>(cursor);
  if (!thread || thread->epoch != epoch()) return;
  RawRecord record = span_record(span);
  record.track = 0;
  put_with_args(*thread, record, args, count);
}

void close_thread(Cursor* cursor) noexcept {
  if (cursor) Recorder::get().retire_thread(static_cast<ThreadState*>(cursor));
}

void warn(std::uint32_t warning, std::uint64_t count) noexcept {
  Recording* const recording = Recorder::get().current();
  if (recording && warning < kMaxWarnings)
    recording->part.header().warnings[warning].fetch_add(count, std::memory_order_relaxed);
}

void put_span(const Span& span) noexcept { put_record(span_record(span)); }

Cursor* cursor() noexcept { return thread_state(); }

void put_op(const Op& op) noexcept { put_record(op_record(op)); }

void put_memory(SpanKind kind, std::uint64_t address, std::uint64_t bytes,
                std::uint32_t device) noexcept {
  put_record(
      {ticks(), bytes, address, device, 0, static_cast<std::uint8_t>(kind), RecordType::memory});
}

void put_span(const Span& span, const Arg* args, std::uint32_t count) noexcept {
  put_with_args(span_record(span), args, count);
}
void put_op(const Op& op, const Arg* args, std::uint32_t count) noexcept {
  put_with_args(op_record(op), args, count);
}

void put_launch(const Launch& l) noexcept {
  put_record({l.start, LaunchRecord::end(l.end - l.start, l.correlation), l.origin, l.name,
              LaunchRecord::track(l.generation, l.backward),
              static_cast<std::uint8_t>(SpanKind::launch), RecordType::launch});
}

void put_value(std::uint64_t time, std::uint32_t name, double value, std::uint16_t track) noexcept {
  put_record({time, std::bit_cast<std::uint64_t>(value), 0, name, track, 0, RecordType::value});
}

void put_tally(const Tally& t) noexcept {
  const auto low = static_cast<std::uint16_t>(t.track),
             high = static_cast<std::uint16_t>(t.track >> 16);
  const RawRecord records[2] = {
      {t.hits, t.inclusive_ticks, t.exclusive_ticks, t.code, low, static_cast<std::uint8_t>(t.kind),
       RecordType::tally},
      {t.step, t.extra_hits, t.extra_ticks, t.where, high, 0, RecordType::tally_more},
  };
  put_records(records, 2);
}

std::uint64_t new_link() noexcept {
  // Processes differ in the high bits. A forked child continues from its parent's count with its
  // own pid.
  static std::atomic<std::uint64_t> next{1};
  return static_cast<std::uint64_t>(::getpid()) << 40 |
         (next.fetch_add(1, std::memory_order_relaxed) & ((1ull << 40) - 1));
}

std::uint32_t current_step() noexcept {
  const Recording* const recording = Recorder::get().current();
  return recording ? recording->steps.load(std::memory_order_relaxed) : 0;
}
void add_step_observer(StepObserver observer) noexcept {
  Recorder::get().step_observers.add(observer);
}
void add_stop_observer(StopObserver observer) noexcept {
  Recorder::get().stop_observers.add(observer);
}

namespace {

// The calling thread, ready for a group of records. Its first record must take the slow path, which
// sets the begin of the thread's first step.
ThreadState* ready_thread() noexcept {
  ThreadState* const thread = thread_state();
  if (!thread || (!reserve(*thread, 3) && !renew_slot(*thread, 3))) return nullptr;
  return thread;
}

}  // namespace

void begin_step() noexcept {
  ThreadState* const thread = ready_thread();
  Recorder& recorder = Recorder::get();
  const Recording* const recording = recorder.current();
  if (!thread || !recording) return;
  recorder.step_observers.call(kBeforeStep | recording->steps.load(std::memory_order_relaxed));
  thread->step_start = ticks();
}

void begin_step_at(std::uint64_t moment) noexcept {
  if (ThreadState* const thread = ready_thread())
    thread->step_start = std::max(thread->step_start, moment);
}

std::uint64_t mark_step(const StepMark& mark) noexcept {
  ThreadState* const thread = ready_thread();
  Recorder& recorder = Recorder::get();
  Recording* const recording = recorder.current();
  if (!thread || !recording) return 0;
  static const std::uint32_t step_name = intern(span_name::kStep);
  const std::uint64_t now = ticks(),
                      end = thread->step_start < mark.end && mark.end < now ? mark.end : now;
  const Span span{thread->step_start, end, mark.phase ? mark.phase : step_name, SpanKind::step};
  Arg args[2];
  std::uint32_t count = 0;
  if (mark.samples != 0) args[count++] = {ArgKey::samples, ArgType::integer, mark.samples};
  if (mark.ops != StepMark::Ops::unknown)
    args[count++] = {ArgKey::ops, ArgType::integer, mark.ops == StepMark::Ops::recorded};
  thread->step_start = end;
  put_span(span, args, count);
  const std::uint32_t ended = recording->steps.fetch_add(1, std::memory_order_relaxed);
  recorder.step_observers.call(ended);
  return span.end - span.start;
}

}  // namespace laptime::record
