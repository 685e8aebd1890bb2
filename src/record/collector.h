// The interface for collectors: the recorder's hot path and its slow facts. A process has one
// implementation (liblaptime.so). The Python module, the torch shim and the CUDA collector all use
// it.
//
// Contract: nothing here throws. Functions marked HOT take no lock, allocate nothing and make no
// system call, except once every kSlotRecords records, when a thread changes its slot. Outside a
// recording every call does nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "format/facts.h"
#include "format/record.h"
#include "laptime/laptime.h"
#include "record/print_line.h"
#include "record/records.h"

namespace laptime::record {

inline bool on() { return laptime_is_recording() != 0; }

// The number of recordings started so far. Ids of tracks, codes and warnings are valid within one
// epoch, names always.
LAPTIME_API std::uint32_t epoch() noexcept;

// The file that this process records into. The text is valid as long as the process lives. Empty if
// nothing records.
LAPTIME_API const char* part_path() noexcept;
// Opens the file in which the processes of the run share data. -1 if there is none. It is removed
// with the run's folder. `flags`: as for open(2).
LAPTIME_API int open_shared_file(int flags) noexcept;
// A moment on the clock of that file. 0 if nothing records.
LAPTIME_API std::int64_t part_ns(std::uint64_t ticks) noexcept;

// ---- Facts: slow, locked, once per thing. ----
LAPTIME_API std::uint32_t intern(std::string_view text) noexcept;
// The text with this id of intern. It stays valid.
LAPTIME_API const char* name_text(std::uint32_t id) noexcept;
// A track that is not a thread: a GPU stream, a counter. 0 if there are too many.
LAPTIME_API std::uint16_t add_track(TrackKind kind, std::uint64_t os_id,
                                    std::string_view name) noexcept;
// Code ids are unique in the process and rise from 1.
LAPTIME_API std::uint32_t add_code(std::string_view file, std::string_view name,
                                   std::uint32_t first_line, std::uint32_t flags) noexcept;
LAPTIME_API void set_code_flags(std::uint32_t code, std::uint32_t flags) noexcept;
// A function that runs, at a line, called by `caller` (0: none). The same three return the same id.
// 0 if there are too many.
LAPTIME_API std::uint32_t add_frame(std::uint32_t caller, std::uint32_t code,
                                    std::uint32_t line) noexcept;
// The place that caused something. The same four return the same id. 0 if there are too many.
// `module`: interned, 0 for none. `frame`: the innermost then, 0 for unknown.
LAPTIME_API std::uint32_t add_call_site(std::uint32_t code, std::uint32_t line,
                                        std::uint32_t module, std::uint32_t frame = 0) noexcept;
// A new call site, for a caller that learns the module later. set_call_site replaces all of it
// except its frame.
LAPTIME_API std::uint32_t new_call_site(std::uint32_t code, std::uint32_t line,
                                        std::uint32_t module, std::uint32_t frame = 0) noexcept;
LAPTIME_API void set_call_site(std::uint32_t call_site, std::uint32_t code, std::uint32_t line,
                               std::uint32_t module) noexcept;
// Arguments that many ops share (Op::args). Equal ones return the same number. 0 if there are too
// many.
LAPTIME_API std::uint16_t add_args(const Arg* args, std::uint32_t count) noexcept;
// The id of a launch config (ArgKey::launch_config). Equal ones return the same id.
LAPTIME_API std::uint32_t add_launch_config(const LaunchConfig& config) noexcept;
// The name of the index-th file, from 0, of this process's codes. It stays valid. Null if there are
// fewer.
LAPTIME_API const char* code_file(std::uint32_t index) noexcept;
// The text of such a file, in UTF-8. It is kept for later recordings of this process, to which
// repeat_sources writes it.
LAPTIME_API void add_source(std::string_view file, std::string_view text) noexcept;
LAPTIME_API void repeat_sources() noexcept;
// Counts a file whose text is left out of the run.
LAPTIME_API void warn_source_left_out() noexcept;
LAPTIME_API void set_property(std::string_view key, const PropertyValue& value) noexcept;
LAPTIME_API void set_device_property(Device device, std::string_view key,
                                     const PropertyValue& value) noexcept;
// The id of a device's name, for put_memory and ArgKey::device.
LAPTIME_API std::uint32_t add_device(Device device) noexcept;
// A named warning; the same name gives the same index. `name` and `message` must outlive the
// process (literals).
LAPTIME_API std::uint32_t warning_index(std::string_view name, Severity severity,
                                        std::string_view message) noexcept;
LAPTIME_API void name_thread(std::string_view name) noexcept;
// The track of a thread of this process, for records made on its behalf (Tally::track). 0 outside a
// recording. `os_thread`: its kernel id. `name`: the track's name if the thread has none; may be
// empty.
LAPTIME_API std::uint32_t track_of_thread(std::uint64_t os_thread, std::string_view name) noexcept;

// ---- HOT ----
LAPTIME_API void warn(std::uint32_t warning, std::uint64_t count = 1) noexcept;

LAPTIME_API void put_span(const Span& span) noexcept;
LAPTIME_API void put_span(const Span& span, const Arg* args, std::uint32_t count) noexcept;
LAPTIME_API void put_op(const Op& op) noexcept;
LAPTIME_API void put_op(const Op& op, const Arg* args, std::uint32_t count) noexcept;
// SpanKind::allocate or release of the memory at `address`, now. `device`: interned, "cpu",
// "cuda:0".
LAPTIME_API void put_memory(SpanKind kind, std::uint64_t address, std::uint64_t bytes,
                            std::uint32_t device) noexcept;
LAPTIME_API void put_launch(const Launch& launch) noexcept;
LAPTIME_API void put_value(std::uint64_t time, std::uint32_t name, double value,
                           std::uint16_t track = 0) noexcept;

// For a collector that stores its records itself (record/cursor.h). Null if there is no memory.
// Constant for the life of the calling thread. Contract: not used after the thread's C++
// thread-locals are destroyed.
struct Cursor;
LAPTIME_API Cursor* cursor() noexcept;

LAPTIME_API void put_tally(const Tally& tally) noexcept;

// ---- Spans of another thread of this process, put after the fact. ----
// Takes a slot of the thread's track. Null if nothing records. `os_thread`, `name`: as for
// track_of_thread. Contract: the calling thread alone uses it, and closes it.
LAPTIME_API Cursor* open_thread(std::uint64_t os_thread, std::string_view name) noexcept;
// Span::track is ignored. Does nothing after the recording of open_thread.
LAPTIME_API void put_span_of(Cursor* thread, const Span& span, const Arg* args,
                             std::uint32_t count) noexcept;
LAPTIME_API void close_thread(Cursor* thread) noexcept;

// A new id for Span::link, unique over the run's processes.
LAPTIME_API std::uint64_t new_link() noexcept;

// Ends the calling thread's current step. Returns its length in ticks, 0 if nothing records.
LAPTIME_API std::uint64_t mark_step(const StepMark& mark) noexcept;
// The calling thread's current step begins now: earlier work belongs to no step. Step observers are
// called with its number and kBeforeStep.
LAPTIME_API void begin_step() noexcept;
// The same with an earlier begin, in ticks.
LAPTIME_API void begin_step_at(std::uint64_t moment) noexcept;
// The number of the calling thread's current step: steps marked so far.
LAPTIME_API std::uint32_t current_step() noexcept;
LAPTIME_API void add_step_observer(StepObserver observer) noexcept;
LAPTIME_API void add_stop_observer(StopObserver observer) noexcept;

}  // namespace laptime::record
