#include "collect/torch/python/op_requests.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "collect/torch/python/call_sites.h"

namespace laptime::torch {

namespace {

using Clock = std::chrono::steady_clock;

// After a switch, each thread takes a lock of torch for a moment, at its next op. A child that is
// forked in that moment would find it locked forever. So a fork waits until the threads that run
// ops have taken it.
constexpr std::chrono::milliseconds kSettling{5};

}  // namespace

class OpRequests {
 public:
  // Never destroyed: other threads may call while the process ends.
  static OpRequests& get() {
    static auto* const made = new OpRequests;
    return *made;
  }

  bool add(const OpRequest& request) {
    const std::lock_guard lock(mutex_);
    if (std::find(all_.begin(), all_.end(), &request) == all_.end()) all_.push_back(&request);
    return apply(request.shim_);
  }

  bool remove(const OpRequest& request) {
    const std::lock_guard lock(mutex_);
    all_.erase(std::remove(all_.begin(), all_.end(), &request), all_.end());
    return apply(request.shim_);
  }

  void begin_trial() {
    const std::lock_guard lock(mutex_);
    ++trials_;
  }
  void end_trial(const OpShim& tried) {
    const std::lock_guard lock(mutex_);
    --trials_;
    shim_state(tried) = kUnknown;
    for (Shim& shim : shims_) (void)apply(*shim.shim);
  }

 private:
  OpRequests() {
    ::pthread_atfork([] { get().before_fork(); }, [] { get().mutex_.unlock(); },
                     [] { get().after_fork_in_child(); });
  }

  void before_fork() {
    mutex_.lock();
    if (const auto settled = switched_ + kSettling; Clock::now() < settled)
      std::this_thread::sleep_until(settled);
  }

  // A trial on another thread continues only in the parent, and so do requests that wait for it.
  // Callbacks that are on stay on until the next request begins or ends: torch is not called here.
  void after_fork_in_child() {
    trials_ = 0;
    all_.clear();
    mutex_.unlock();
  }

  bool apply(const OpShim& shim) {
    if (trials_ > 0) return true;
    const auto any = [this](auto wanted) {
      return std::any_of(all_.begin(), all_.end(),
                         [&](const OpRequest* request) { return wanted(*request); });
    };
    keep_frames(any([](const OpRequest& request) { return request.frames_; }));
    const bool on = any([&](const OpRequest& request) { return &request.shim_ == &shim; });
    const State wanted =
        !on ? kOff
        : any([&](const OpRequest& request) { return &request.shim_ == &shim && request.inputs_; })
            ? kWithInputs
            : kPlain;
    State& state = shim_state(shim);
    if (state == wanted) return true;
    switched_ = Clock::now();
    const bool done = (on ? shim.on(wanted == kWithInputs ? 1 : 0) : shim.off()) == 0;
    state = done ? wanted : kUnknown;
    return done;
  }

  enum State { kUnknown, kOff, kPlain, kWithInputs };
  struct Shim {
    const OpShim* shim;
    State state;
  };
  State& shim_state(const OpShim& shim) {
    for (Shim& known : shims_)
      if (known.shim == &shim) return known.state;
    return shims_.emplace_back(Shim{&shim, kUnknown}).state;
  }

  std::mutex mutex_;
  std::vector<const OpRequest*> all_;
  std::vector<Shim> shims_;
  int trials_ = 0;
  Clock::time_point switched_{};
};

bool OpRequest::on() const { return OpRequests::get().add(*this); }
bool OpRequest::off() const { return OpRequests::get().remove(*this); }

void begin_trial() { OpRequests::get().begin_trial(); }
void end_trial(const OpShim& tried) { OpRequests::get().end_trial(tried); }
void prepare_requests() { (void)OpRequests::get(); }

}  // namespace laptime::torch
