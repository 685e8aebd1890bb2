#include "record/recorder.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "format/seal.h"
#include "record/host_facts.h"
#include "record/print_line.h"
#include "record/self_cost.h"

// Programs read it without a lock. Start and stop write it, and every slow path checks it again.
extern "C" {
int laptime_recording = 0;
}

namespace laptime::record {

namespace {

void set_recording(bool on) {
  const int how = kTscChoice.use ? LAPTIME_BY_TSC : LAPTIME_BY_CALL;
  __atomic_store_n(&laptime_recording, on ? how : LAPTIME_OFF, __ATOMIC_SEQ_CST);
}

// The encoder needs memory for a batch besides the slots: 20 MiB, measured with two threads at full
// speed.
// MiB.
constexpr std::uint64_t kEncoderMemory = 32ull << 20;

std::uint32_t slots_for(std::uint64_t memory_limit) {
  const std::uint64_t limit = std::max(memory_limit, kLeastMemoryLimit);
  const std::uint64_t raw = limit >= 2 * kEncoderMemory ? limit - kEncoderMemory : limit / 2;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(raw / kSlotSize, 1u << 18));
}

// If another live process already records there, this one joins its run. The remains of a killed
// run are kept.
Status prepare_folder(RecordingPlan& plan) {
  std::error_code ignored;
  plan.folder = std::filesystem::absolute(plan.folder, ignored);
  ASSIGN_OR_RETURN(const PartFolder folder, PartFolder::make(plan.folder));
  if (plan.seal_as.empty()) return {};
  plan.seal_as = std::filesystem::absolute(plan.seal_as, ignored);
  const std::vector<FoundPart> parts = folder.parts();
  if (std::any_of(parts.begin(), parts.end(), [](const FoundPart& part) { return part.is_live; })) {
    plan.seal_as.clear();
  } else if (!parts.empty()) {
    ASSIGN_OR_RETURN(const std::string name, keep_unsealed(plan.seal_as));
    print_line(kept_line(plan.seal_as, name));
    RETURN_IF_ERROR(PartFolder::make(plan.folder));
  }
  return {};
}

const char* text_of(int error_number) {
  switch (error_number) {
    case PartFile::kUnreachable:
      return "its file was deleted, or closed and moved";
    case PartFile::kPageLost:
      return "its file was truncated, or its disk is gone";
    case EFBIG:
      return "its file reached the limit on file sizes (ulimit -f)";
    default:
      return std::strerror(error_number);
  }
}

}  // namespace

Recording::Recording(std::unique_ptr<PartFile> file, TickScale tick_scale, std::uint32_t number)
    : owned_part(std::move(file)),
      part(*owned_part),
      pool(part.slot_count()),
      encoder(
          part, pool, tick_scale, [](SharedArgs& known) { Recorder::get().copy_args(known); },
          [this](int error) { Recorder::get().note_stop(*this, error); }),
      scale(tick_scale),
      epoch(number),
      start_ticks(ticks()) {}

Recorder& Recorder::get() {
  // Never destroyed: threads may record while the process exits.
  static Recorder* recorder = new Recorder();
  return *recorder;
}

Status Recorder::start(RecordingPlan plan) {
  const std::lock_guard lock(control_);
  if (current()) return fail(ErrorKind::usage, "recording is already on");
  RETURN_IF_ERROR(prepare_folder(plan));
  plan_ = std::move(plan);
  RETURN_IF_ERROR(open_part_or_leave_word());
  send_threads_to_slow_path();
  set_recording(true);
  return {};
}

// A run that another process seals cannot know otherwise that this process is missing.
Status Recorder::open_part_or_leave_word() {
  const Status opened = open_part();
  if (!opened && plan_.seal_as.empty()) leave_missing_part(plan_.folder, opened.error().message);
  return opened;
}

Status Recorder::open_part() {
  const TickScale scale = TickScale::calibrate();
  ASSIGN_OR_RETURN(std::unique_ptr<PartFile> file,
                   PartFile::create(plan_.folder, slots_for(plan_.memory_limit), scale));
  file->header().record_cost_ps = measure_record_cost_ps(scale);
  const std::lock_guard lock(facts_);
  Recording* const recording =
      recordings_
          .emplace_back(std::make_unique<Recording>(
              std::move(file), scale, epoch_.fetch_add(1, std::memory_order_relaxed) + 1))
          .get();
  int error = recording->part.append_facts(opening_facts());
  if (error == 0) error = recording->part.append_clock_point();
  if (error == 0 && !recording->encoder.grow(Encoder::Touch::yes)) error = ENOSPC;
  if (error == 0 && recording->encoder.start() != 0)
    recording->part.header().warnings[kWarningNoThread].fetch_add(1);
  if (error != 0) {
    recording->part.discard();
    return errno_error(ErrorKind::system, "cannot record in " + plan_.folder, error);
  }
  // with facts_ held: a new fact is either among the opening ones, or is written to this recording
  current_.store(recording, std::memory_order_release);
  return {};
}

std::vector<Fact> Recorder::opening_facts() {
  std::vector<Fact> facts = names_.all();
  for (const CodeFact& code : codes_) facts.push_back(code);
  for (const CallFrameFact& frame : frames_) facts.push_back(frame);
  for (const CallSiteFact& call_site : call_sites_) facts.push_back(call_site);
  for (const LaunchConfigFact& config : launch_configs_) facts.push_back(config);
  for (const ArgsFact& args : args_) facts.push_back(args);
  for (std::uint32_t i = 0; i < warnings_.size(); ++i)
    facts.push_back(
        WarningFact{i, warnings_[i].severity, 0, warnings_[i].name, warnings_[i].message});
  for (const auto& [device, name] : devices_) facts.push_back(DeviceFact{name, device});
  for (const PropertyFact& fact : host_facts()) facts.push_back(fact);
  return facts;
}

Status Recorder::stop() {
  if (laptime_is_recording() != 0) stop_observers.call();
  const std::lock_guard lock(control_);
  set_recording(false);
  child_needs_part_ = false;
  Recording* const recording = current_.exchange(nullptr, std::memory_order_acq_rel);
  if (!recording) return {};
  end_part(*recording);
  if (plan_.seal_as.empty()) return {};
  ASSIGN_OR_RETURN(const PartFolder folder, PartFolder::open(plan_.folder));
  ASSIGN_OR_RETURN(const std::vector<FoundPart> left,
                   seal_folder(folder, plan_.seal_as, {}, LiveParts::end_offspring));
  if (!left.empty()) print_line(left_line(left, plan_.folder));
  return {};
}

void Recorder::end_part(Recording& recording) {
  send_threads_to_slow_path();
  std::vector<Slot*> active;
  {
    const std::lock_guard lock(registry_);
    for (ThreadState* t = threads_; t; t = t->next_thread) {
      Slot* const slot = t->slot.exchange(nullptr, std::memory_order_acq_rel);
      if (!slot || t->epoch != recording.epoch) continue;
      recording.part.header().records.fetch_add(slot->header.used.load(std::memory_order_acquire),
                                                std::memory_order_relaxed);
      active.push_back(slot);
    }
  }
  recording.encoder.finish(active);
  print_stop(recording);
  recording.part.header().state.store(PartState::finished, std::memory_order_release);
  recording.part.detach();
}

void Recorder::note_stop(Recording& recording, int error_number) noexcept {
  int none = 0;
  if (!recording.stopped_by.compare_exchange_strong(none, error_number)) return;
  if (error_number == PartFile::kSealed) set_recording(false);
  // Their slots may be in memory that nothing will read.
  if (error_number == PartFile::kPageLost) send_threads_to_slow_path();
}

void Recorder::print_stop(Recording& recording) noexcept {
  const int error_number = recording.stopped_by.load();
  if (error_number == 0 || error_number == PartFile::kSealed ||
      recording.stop_printed.exchange(true))
    return;
  char line[512];
  std::snprintf(
      line, sizeof line,
      "recording stopped: %s (%s); the program continues, and its earlier records are kept",
      text_of(error_number), plan_.folder.c_str());
  print_line(line);
}

void Recorder::send_threads_to_slow_path() {
  const std::lock_guard lock(registry_);
  for (ThreadState* t = threads_; t; t = t->next_thread)
    t->end.store(nullptr, std::memory_order_relaxed);
}

}  // namespace laptime::record
