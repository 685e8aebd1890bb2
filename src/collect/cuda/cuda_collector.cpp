#include "collect/cuda/cuda_collector.h"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "base/os/no_signals.h"
#include "collect/cuda/device_facts.h"
#include "collect/cuda/gpu_warnings.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

constexpr ActivityKind kKinds[] = {kConcurrentKernel, kMemcpy, kMemset, kPeerCopy};
constexpr const char* kNoName = "<not provided>";  // CUPTI's name for a tool that gave none
constexpr std::size_t kFirstBuffers = 8;
// After so many ticks in which nothing arrived, a drained GPU counts as idle. Unanswered launches
// are then either a queue of long kernels or work that never existed: CUPTI delivers a buffer only
// when all work in it has ended.
constexpr unsigned kQuietTicks = 2, kQuietTicksAfterAWait = 5, kMostQuietTicks = 100;
// If it was work that never existed once, it will be again. CUPTI that rests meanwhile slows the
// program.
constexpr unsigned kQuietTicksOnceInVain = 20;
// The same for the end of a recording, which the program waits for.
constexpr int kMostLastFlushes = 400, kQuietLastFlushes = 200;
constexpr std::chrono::milliseconds kBetweenLastFlushes{5};

std::atomic<CudaCollector*> the_collector{
    nullptr};  // for the callbacks that get no argument from CUPTI

}  // namespace

CudaCollector::CudaCollector(CudaApi& api)
    : api_(api),
      launches_(api),
      reader_(api, clock_, launches_.awaited()),
      memory_(api),
      pid_(::getpid()) {
  the_collector.store(this, std::memory_order_release);
  // The parent's callbacks of CUPTI also run in the child.
  ::pthread_atfork(nullptr, nullptr, [] { the_collector.load()->state_.store(State::failed); });
}

bool CudaCollector::is_forked() const { return pid_ != ::getpid(); }

bool CudaCollector::on(unsigned who) {
  if (is_forked()) return false;
  const std::lock_guard lock(control_);
  if (disabled_) return false;
  requests_ |= who;
  switch (state()) {
    case State::capturing:
      return true;
    case State::failed:
      return warn_failed(), false;
    case State::draining:
      break;
    case State::leaving:
    case State::finalizing:
      if (!take_back_leaving() && !set_up()) return false;
      break;
    case State::idle:
    case State::finalized:
      if (!set_up()) return false;
      break;
  }
  launches_.enable(true, generation_.load());
  memory_.enable(true);
  // Set before any work is recorded: other threads launch meanwhile, and their launches have lines.
  state_.store(State::capturing, std::memory_order_release);
  if (const ApiResult result = enable_kinds(true); result != kSuccess) {
    (void)enable_kinds(false);
    (void)api_.unsubscribe();
    fail(result, "");
    return false;
  }
  launches_.expect_records(true);
  write_facts();
  return true;
}

// False if a callback was faster. Then CUPTI is taken out, or will be in a few milliseconds.
bool CudaCollector::take_back_leaving() {
  State expected = State::leaving;
  if (state_.compare_exchange_strong(expected, State::draining)) return true;
  while (state() != State::finalized) std::this_thread::yield();
  return false;
}

// The driver does not know its devices before it is initialised.
void CudaCollector::write_facts() {
  if (facts_epoch_ != record::epoch() && write_device_facts(api_)) facts_epoch_ = record::epoch();
}

bool CudaCollector::set_up() {
  pool_.prepare(kFirstBuffers);
  std::string other;
  ApiResult result = api_.subscribe(&on_callback, this, other);
  // After a failed subscription nothing else may be requested: registering buffers would take the
  // other tool's records.
  if (result == kSuccess) result = api_.promise_zeroed_buffers();
  if (result == kSuccess) result = api_.register_clock(&on_clock);
  if (result == kSuccess) result = api_.register_buffers(&on_buffer_request, &on_buffer_complete);
  if (result == kSuccess) {
    std::size_t of_others = 0;  // CUPTI's count continues: it includes drops of the tool before
    (void)api_.dropped_records(nullptr, 0, &of_others);
    generation_.fetch_add(1);
    launches_.awaited().give_up();
    dropped_ = 0;
    return true;
  }
  fail(result, other);
  return false;
}

void CudaCollector::fail(ApiResult result, const std::string& other) {
  std::string why = api_.describe(result);
  if (result == kMultipleSubscribers)
    why = (other.empty() || other == kNoName ? "another tool" : other) +
          " uses CUPTI already (Nsight, torch.profiler and XLA's profiler do)";
  if (result == kInsufficientPrivileges)
    why = "the driver lets only administrators profile (CUPTI error 35)";
  record::print_line("GPU is not recorded: " + why);
  state_.store(State::failed, std::memory_order_release);
  warn_failed();
}

// Called once per recording.
void CudaCollector::warn_failed() {
  if (failed_epoch_ == record::epoch()) return;
  failed_epoch_ = record::epoch();
  warn(kNoGpu);
}

// If only copies between GPUs cannot be recorded, all else is.
ApiResult CudaCollector::enable_kinds(bool on) {
  ApiResult first = kSuccess;
  for (const ActivityKind kind : kKinds)
    if (const ApiResult result = on ? api_.enable(kind) : api_.disable(kind);
        first == kSuccess && kind != kPeerCopy)
      first = result;
  return first;
}

void CudaCollector::off(unsigned who, After after) {
  if (is_forked()) return;
  const std::lock_guard lock(control_);
  requests_ &= ~who;
  if (requests_ != 0) return;
  if (state() == State::draining) after_ = std::max(after_, after);
  if (state() != State::capturing) return;
  launches_.expect_records(false);
  (void)enable_kinds(false);
  launches_.enable(false, generation_.load());
  memory_.enable(false);
  after_ = after;
  quiet_ticks_ = 0;
  drained_records_ = reader_.records();
  state_.store(State::draining, std::memory_order_release);
}

void CudaCollector::set_disabled(bool disabled) {
  if (is_forked()) return;
  const std::lock_guard lock(control_);
  disabled_ = disabled;
}

void CudaCollector::flush() {
  if (is_forked()) return;
  const std::lock_guard lock(control_);
  if (state() == State::capturing || state() == State::draining) (void)api_.flush(false);
}

void CudaCollector::stop() {
  if (is_forked()) return;
  off(kEverybody, After::leave);
  int quiet = 0;
  for (int i = 0; i < kMostLastFlushes; ++i) {
    const std::uint64_t before = reader_.records();
    flush();
    quiet = reader_.records() == before ? quiet + 1 : 0;
    if (quiet > 0 && (unanswered() == 0 || quiet == kQuietLastFlushes)) break;
    std::this_thread::sleep_for(kBetweenLastFlushes);
  }
  const std::lock_guard lock(control_);
  if (state() == State::draining) deliver_rest();
}

void CudaCollector::end() {
  if (is_forked()) return;
  stop();
  const std::lock_guard lock(control_);
  state_.store(State::failed, std::memory_order_release);
  failed_epoch_ = record::epoch();
}

// Launches whose work is under way on the GPU, or never existed.
std::uint64_t CudaCollector::unanswered() const {
  const std::uint64_t awaited = launches_.awaited().count(), dropped = dropped_;
  return awaited > dropped ? awaited - dropped : 0;
}

// Delivers what is complete in unfinished buffers; the rest is dropped. Needed even if all launches
// are answered, because a graph's launch is answered by its first node.
void CudaCollector::deliver_rest() {
  reader_.take_incomplete(true);
  (void)api_.flush(true);
  reader_.take_incomplete(false);
  count_dropped();
  const std::uint64_t lost = unanswered();
  if (lost > 0) warn(kUnanswered, lost);
  awaited_in_vain_ |= lost > 0;
  launches_.awaited().give_up();
  dropped_ = 0;
}

unsigned CudaCollector::patience() const {
  if (unanswered() == 0) return kQuietTicks;
  if (after_ == After::leave_soon) return kQuietTicksAfterAWait;
  return awaited_in_vain_ ? kQuietTicksOnceInVain : kMostQuietTicks;
}

void CudaCollector::tick() {
  flush();
  const std::lock_guard lock(control_);
  if (state() == State::capturing) write_facts();
  if (state() != State::draining || after_ == After::rest) return;
  quiet_ticks_ = reader_.records() == drained_records_ ? quiet_ticks_ + 1 : 0;
  drained_records_ = reader_.records();
  if (quiet_ticks_ < patience()) return;
  deliver_rest();
  // Done before any call may take CUPTI out: it must not be called meanwhile.
  for (const DriverCall& call : kDriverCalls)
    (void)api_.enable_callback(true, kDriverDomain, call.id);
  state_.store(State::leaving, std::memory_order_release);
}

void CudaCollector::finalize_now() {
  (void)api_.finalize();
  State expected = State::finalizing;  // otherwise the process ends meanwhile
  state_.compare_exchange_strong(expected, State::finalized);
}

bool CudaCollector::start_flush_thread() {
  if (flush_thread_.exchange(true)) return true;
  const NoSignals meanwhile;
  try {
    std::thread([this] {
      ::pthread_setname_np(::pthread_self(), "laptime-cuda");
      for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kFlushPeriodMs));
        tick();
      }
    }).detach();
    return true;
  } catch (const std::system_error&) {
    flush_thread_.store(false);
    return false;
  }
}

void CudaCollector::on_callback(void* user, std::uint32_t domain, std::uint32_t id,
                                const void* data) {
  auto& self = *static_cast<CudaCollector*>(user);
  if (domain == kResourceDomain)
    return self.launches_.on_resource(id, *static_cast<const ResourceData*>(data));
  if (domain != kDriverDomain) return;
  const auto& call = *static_cast<const CallbackData*>(data);
  if (self.state() == State::capturing) {
    if (self.launches_.knows(id))
      self.launches_.on_driver_call(id, call);
    else
      self.memory_.on_driver_call(id, call);
    return;
  }
  State expected = State::leaving;
  if (call.site == kExit && self.state_.compare_exchange_strong(expected, State::finalizing))
    self.finalize_now();
}

void CudaCollector::on_buffer_request(std::uint8_t** buffer, std::size_t* size,
                                      std::size_t* max_records) {
  CudaCollector& self = *the_collector.load(std::memory_order_acquire);
  *buffer = self.pool_.take();
  *size = *buffer ? BufferPool::kBufferBytes : 0;
  *max_records = 0;
}

void CudaCollector::on_buffer_complete(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                       std::size_t size, std::size_t valid) {
  CudaCollector& self = *the_collector.load(std::memory_order_acquire);
  if (!buffer) return;
  self.reader_.read(buffer, valid < size ? valid : size,
                    self.generation_.load(std::memory_order_relaxed));
  self.count_dropped(context, stream);
  self.pool_.put_back(buffer, valid);
}

void CudaCollector::count_dropped(void* context, std::uint32_t stream) {
  std::size_t dropped = 0;
  if (api_.dropped_records(context, stream, &dropped) != kSuccess || dropped == 0) return;
  dropped_ += dropped;
  warn(kDropped, dropped);
}

std::uint64_t CudaCollector::on_clock() {
  return the_collector.load(std::memory_order_acquire)->clock_.now();
}

}  // namespace laptime::cuda
