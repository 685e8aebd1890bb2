// The recorder of this process: at most one recording at a time. Starts, stops, and handles fork.
//
// A Recording is never freed, because a thread may be in the middle of a store when recording
// stops. Its memory is released (PartFile::detach). Address space and a few kilobytes stay.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "format/sources/source_text.h"
#include "laptime/laptime.h"
#include "record/encoder.h"
#include "record/names.h"
#include "record/observers.h"
#include "record/part_file.h"
#include "record/records.h"
#include "record/slot_pool.h"
#include "record/thread_state.h"
#include "record/warnings.h"

namespace laptime::record {

inline constexpr std::uint64_t kDefaultMemoryLimit = 128ull << 20;
inline constexpr std::uint64_t kLeastMemoryLimit = 4ull << 20;

struct RecordingPlan {
  std::string folder;   // NAME.lap.d
  std::string seal_as;  // NAME.lap; empty if another process seals
  std::uint64_t memory_limit = kDefaultMemoryLimit;
};

// One process's part of a run, while it records.
struct Recording {
  Recording(std::unique_ptr<PartFile> file, TickScale tick_scale, std::uint32_t number);

  std::unique_ptr<PartFile> owned_part;
  PartFile& part;
  SlotPool pool;
  Encoder encoder;
  const TickScale scale;
  const std::uint32_t epoch;
  const std::uint64_t start_ticks;
  std::atomic<std::uint64_t> next_sequence{1};
  std::atomic<std::uint32_t> next_thread_track{kFirstThreadTrack};
  std::atomic<std::uint32_t> next_track{1};
  std::atomic<std::uint32_t> steps{0};
  std::atomic<int> stopped_by{0};  // the part's first error
  std::atomic<bool> stop_printed{false};
  // By kernel id: tracks of threads that have not recorded anything themselves yet. Protected by
  // the registry's lock.
  std::map<std::uint64_t, std::uint32_t> tracks_ahead;
};

class Recorder {
 public:
  static Recorder& get();

  Status start(RecordingPlan plan);
  // Ends the part. Seals the run if this process owns it.
  Status stop();

  // Handles an error of the part, from any thread. The program continues, and its records are
  // dropped and counted.
  void note_stop(Recording& recording, int error_number) noexcept;
  // Prints one line about it, once. Contract: not called on the encoder's thread, which does not
  // have the program's stderr.
  void print_stop(Recording& recording) noexcept;

  // Slow path of a record: room for `count` records. Null if nothing records, or no slot is free
  // (which is counted).
  RawRecord* renew(ThreadState& thread, std::size_t count) noexcept;
  ThreadState* attach_thread() noexcept;
  void retire_thread(ThreadState* thread) noexcept;
  // A state that records on the track of another thread. Null if nothing records.
  ThreadState* open_thread(std::uint64_t os_thread, std::string_view name) noexcept;
  void name_thread(ThreadState& thread, std::string_view name);
  std::uint32_t track_of_thread(std::uint64_t os_thread, std::string_view name) noexcept;

  std::uint32_t intern(std::string_view text);
  const char* name_text(std::uint32_t id) noexcept;
  std::uint32_t add_code(std::string_view file, std::string_view name, std::uint32_t first_line,
                         std::uint32_t flags);
  void set_code_flags(std::uint32_t code, std::uint32_t flags);
  const char* code_file(std::uint32_t index);
  void add_source(std::string_view file, std::string_view text);
  void repeat_sources();
  void warn_source_left_out();
  std::uint32_t add_frame(std::uint32_t caller, std::uint32_t code, std::uint32_t line);
  // Assigns its id.
  std::uint32_t add_call_site(const CallSiteFact& call_site);
  std::uint32_t new_call_site(const CallSiteFact& call_site);
  void set_call_site(std::uint32_t call_site, std::uint32_t code, std::uint32_t line,
                     std::uint32_t module);
  std::uint16_t add_args(const Arg* args, std::uint32_t count);
  std::uint32_t add_launch_config(const LaunchConfig& config);
  void copy_args(SharedArgs& known);
  std::uint32_t warning_index(std::string_view name, Severity severity, std::string_view message);
  std::uint16_t add_track(TrackKind kind, std::uint64_t os_id, std::string_view name);
  void set_property(std::string_view key, const PropertyValue& value);
  void set_device_property(Device device, std::string_view key, const PropertyValue& value);
  std::uint32_t add_device(Device device);

  Recording* current() const { return current_.load(std::memory_order_acquire); }
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  Observers<StepObserver> step_observers;
  Observers<StopObserver> stop_observers;

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  Recorder() = default;
  // From then on the new part is the current one.
  Status open_part_or_leave_word();
  Status open_part();
  std::vector<Fact> opening_facts();
  std::uint32_t append_call_site(CallSiteFact call_site);
  void end_part(Recording& recording);
  void begin_child_part() noexcept;
  void enter_recording(ThreadState& thread, Recording& recording) noexcept;
  void hand_over(ThreadState& thread, Recording& recording) noexcept;
  RawRecord* give_slot(ThreadState& thread, Recording& recording) noexcept;
  void send_threads_to_slow_path();

  std::atomic<Recording*> current_{nullptr};
  std::atomic<std::uint32_t> epoch_{0};
  std::mutex control_;  // start, stop, fork
  RecordingPlan plan_;
  std::vector<std::unique_ptr<Recording>> recordings_;  // this one and those before it
  std::atomic<bool> child_needs_part_{false};

  std::mutex facts_;  // protects everything below, and the order of facts in the log
  Names names_;
  std::vector<CodeFact> codes_;
  std::vector<std::uint32_t> code_files_;  // string ids, each once
  std::unordered_set<std::uint32_t> known_code_files_;
  std::map<std::uint32_t, PackedSource> sources_;  // by the file's string id
  std::size_t source_bytes_ = 0;
  std::vector<CallSiteFact> call_sites_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t>
      call_site_ids_;  // (code, line, module, frame)
  std::vector<CallFrameFact> frames_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> frame_ids_;  // (caller, code, line)
  std::map<Device, std::uint32_t> devices_;                          // string ids of their names
  std::vector<LaunchConfigFact> launch_configs_;
  std::map<LaunchConfig, std::uint32_t> launch_config_ids_;
  std::vector<ArgsFact> args_;
  std::map<std::vector<SharedArg>, std::uint16_t> args_ids_;
  std::vector<WarningDefinition> warnings_{kBuiltinWarningDefinitions,
                                           kBuiltinWarningDefinitions + kBuiltinWarnings};

  std::mutex registry_;
  ThreadState* threads_ = nullptr;
};

}  // namespace laptime::record
