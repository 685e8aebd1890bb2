// A CUPTI for tests: it keeps the requests that it got, and passes hand-made records and callbacks
// to the collector's own functions.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

class FakeCuda final : public CudaApi {
 public:
  // ---- Its behaviour ----
  ApiResult subscribe_result = kSuccess;
  std::function<void()> while_enabling, while_disabling,
      while_enabling_calls;                    // what another thread of the program does meanwhile
  std::map<std::uint32_t, ApiResult> refused;  // kinds
  std::function<void()> while_finalizing;
  std::string holder;            // who has the subscription when subscribe fails
  std::size_t kernel_tail = 0;   // extra bytes of this version's records over the oldest form
  std::size_t dropped = 0;       // reported once
  std::size_t record_shift = 0;  // offset of the addresses that next_record returns
  bool initialized = true;       // the driver knows its devices
  std::function<void()> while_flushing;
  bool holds_back =
      false;  // one record in each buffer is incomplete: only a forced flush delivers them
  int devices = 1;

  // ---- The requests that it got ----
  std::vector<std::string> calls;
  std::set<std::pair<std::uint32_t, std::uint32_t>> callbacks;
  std::set<std::uint32_t> kinds;
  CallbackFunction callback = nullptr;
  void* user = nullptr;
  ClockFunction clock = nullptr;
  bool finalizes = false;  // until the next subscription
  int calls_after_finalize = 0;

  // ---- The program's part ----
  // A call of the driver, as CUPTI reports it.
  void call(
      std::uint32_t id, std::uint32_t correlation, const std::function<void()>& inside = [] {}) {
    CallbackData info{};
    info.correlation = correlation;
    deliver(id, info, inside);
  }
  // A call whose parameters and result are read. A context is its device's number.
  void call_with(
      std::uint32_t id, const void* parameters, int result, void* context,
      const std::function<void()>& inside = [] {}) {
    CallbackData info{};
    info.parameters = parameters;
    info.return_value = &result;
    info.context = context;
    deliver(id, info, inside);
  }
  void deliver(std::uint32_t id, CallbackData& info, const std::function<void()>& inside) {
    if (!callbacks.contains({kDriverDomain, id})) return inside();
    std::uint64_t data = 0;
    info.correlation_data = &data;
    info.site = kEnter;
    callback(user, kDriverDomain, id, &info);
    inside();
    info.site = kExit;
    if (callback) callback(user, kDriverDomain, id, &info);
  }
  void graph_node(std::uint32_t id, std::uint64_t node, std::uint64_t original = 0) {
    if (!callbacks.contains({kResourceDomain, id})) return;
    GraphData graph{nullptr, nullptr, reinterpret_cast<void*>(node),
                    reinterpret_cast<void*>(original)};
    const ResourceData resource{nullptr, nullptr, &graph};
    callback(user, kResourceDomain, id, &resource);
  }
  // Puts a record into the current buffer. Does nothing if the collector provides none.
  template <typename Record>
  void add(const Record& record) {
    const std::size_t size = sizeof record + kernel_tail;
    if (!buffer_) request_(&buffer_, &size_, &most_);
    if (!buffer_ || used_ + size > size_) {
      ++dropped;
      return;
    }
    std::memcpy(buffer_ + used_, &record, sizeof record);
    std::memset(buffer_ + used_ + sizeof record, 0xEE, kernel_tail);
    offsets_.push_back(used_);
    used_ += size;
  }
  ActivityKernel kernel(std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
                        std::uint32_t stream = 7, std::uint32_t device = 0) const {
    ActivityKernel k{};
    k.kind = kConcurrentKernel;
    k.start = start;
    k.end = end;
    k.correlation = correlation;
    k.stream = stream;
    k.device = device;
    k.context = device + 1;
    k.name = "_Z6vectorPf";
    k.registers = 32;
    k.grid[0] = k.block[0] = 128;
    k.grid[1] = k.grid[2] = k.block[1] = k.block[2] = 1;
    return k;
  }

  std::uint32_t version() override { return 130001; }
  const char* describe(ApiResult) override { return "FAKE_ERROR"; }
  ApiResult subscribe(CallbackFunction function, void* argument, std::string& other) override {
    calls.push_back("subscribe");
    finalizes = false;
    if (subscribe_result != kSuccess) return other = holder, subscribe_result;
    callback = function;
    user = argument;
    return kSuccess;
  }
  ApiResult unsubscribe() override { return calls.push_back("unsubscribe"), kSuccess; }
  ApiResult enable_callback(bool on, std::uint32_t domain, std::uint32_t id) override {
    if (finalizes) ++calls_after_finalize;
    on ? (void)callbacks.insert({domain, id}) : (void)callbacks.erase({domain, id});
    if (on && while_enabling_calls) while_enabling_calls();
    return kSuccess;
  }
  ApiResult promise_zeroed_buffers() override { return calls.push_back("zeroed"), kSuccess; }
  ApiResult register_clock(ClockFunction function) override {
    return clock = function, calls.push_back("clock"), kSuccess;
  }
  ApiResult register_buffers(BufferRequest request, BufferComplete complete) override {
    calls.push_back("buffers");
    request_ = request;
    complete_ = complete;
    return kSuccess;
  }
  ApiResult enable(ActivityKind kind) override {
    if (const auto it = refused.find(kind); it != refused.end()) return it->second;
    kinds.insert(kind);
    if (while_enabling) while_enabling();
    return kSuccess;
  }
  ApiResult disable(ActivityKind kind) override {
    kinds.erase(kind);
    if (while_disabling) while_disabling();
    return kSuccess;
  }
  ApiResult flush(bool forced) override {
    if (while_flushing) while_flushing();
    if (holds_back && !forced) return kSuccess;
    std::uint8_t* const done = std::exchange(buffer_, nullptr);
    if (!done) return kSuccess;
    at_ = 0;
    complete_(nullptr, 0, done, size_, std::exchange(used_, 0));
    offsets_.clear();
    return kSuccess;
  }
  ApiResult next_record(std::uint8_t* buffer, std::size_t, Activity** record) override {
    if (at_ == offsets_.size()) return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
    *record = reinterpret_cast<Activity*>(buffer + offsets_[at_++] + record_shift);
    return kSuccess;
  }
  ApiResult dropped_records(void*, std::uint32_t, std::size_t* count) override {
    return *count = std::exchange(dropped, 0), kSuccess;
  }
  ApiResult device_of(void* context, std::uint32_t* device) override {
    return *device = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(context)),
           kSuccess;
  }
  ApiResult graph_node_id(void* node, std::uint64_t* id) override {
    return *id = reinterpret_cast<std::uint64_t>(node), kSuccess;
  }
  ApiResult finalize() override {
    calls.push_back("finalize");
    finalizes = true;
    if (while_finalizing) while_finalizing();
    callbacks.clear();
    kinds.clear();
    callback = nullptr;
    return kSuccess;
  }
  ApiResult device_count(int* count) override {
    return *count = devices, initialized ? kSuccess : 3;
  }
  ApiResult device_name(int device, std::string& name) override {
    return name = "Fake " + std::to_string(device), kSuccess;
  }
  ApiResult device_memory(int, std::uint64_t* bytes) override {
    return *bytes = 80ull << 30, kSuccess;
  }
  ApiResult device_attribute(int, DeviceAttribute attribute, int* value) override {
    static const std::map<int, int> values{{kMultiprocessors, 132},
                                           {kClockKHz, 1'980'000},
                                           {kComputeMajor, 9},
                                           {kMemoryClockKHz, 3'201'000},
                                           {kMemoryBusWidth, 6144}};
    const auto it = values.find(attribute);
    return *value = it == values.end() ? 0 : it->second, kSuccess;
  }

 private:
  BufferRequest request_ = nullptr;
  BufferComplete complete_ = nullptr;
  std::uint8_t* buffer_ = nullptr;
  std::size_t size_ = 0, most_ = 0, used_ = 0, at_ = 0;
  std::vector<std::size_t> offsets_;
};

}  // namespace laptime::cuda
