// Follows every block that PyTorch's CPU allocator allocates and frees, on all threads.
//
// A wrapper is put before the allocator that the program uses, and exchanges the deleter of each
// block that it records. So the release of every recorded block is seen, at any time and on any
// thread: in a resting step, after close(), while the interpreter ends. Consequences: a wrapper
// lives as long as the process, and this library is never unloaded. While it rests, the wrapper
// passes calls through. Blocks of that time keep the allocator's own deleter.
//
// A release is reported before the memory is freed, and an allocation after it was made. So no
// address is reported as allocated twice in a row, however many threads there are.
#include <ATen/core/Tensor.h>
#include <c10/core/CPUAllocator.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <utility>

#include "collect/torch/shim/followed_memory.h"

namespace {

using namespace laptime_memory;

std::atomic<bool> probe_arrived{false};

class Wrapper : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const Mode now = mode.load(std::memory_order_relaxed);
    c10::DataPtr block = base_->allocate(bytes);
    if (now == Mode::record) {
      if (block.get() != nullptr) follow(block, bytes);
    } else if (now == Mode::probe) {
      probe_arrived.store(true, std::memory_order_relaxed);
    }
    return block;
  }
  c10::DeleterFnPtr raw_deleter() const override { return own_deleter_; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    base_->copy_data(to, from, bytes);
  }

  // The block was allocated by the allocator behind while this one rested. Its release is reported
  // from now on.
  void adopt(c10::DataPtr& block) const {
    if (block.get() == block.get_context())
      (void)block.compare_exchange_deleter(base_deleter_, own_deleter_);
  }
  void release(void* block) const {
    report_release(LAPTIME_MEMORY_CPU, block);
    base_deleter_(block);
  }

  c10::Allocator* base() const { return base_; }

  // True if the program now allocates from this wrapper.
  bool put_before(c10::Allocator* base, c10::DeleterFnPtr own_deleter) {
    base_ = base;
    base_deleter_ = base->raw_deleter();
    own_deleter_ = own_deleter;
    if (base_deleter_ == nullptr) return false;
    // The lowest priority that is accepted is the present allocator's own. So a program that sets
    // another allocator later succeeds as it would without laptime.
    for (unsigned priority = 0; priority < 256; ++priority) {
      priority_ = static_cast<std::uint8_t>(priority);
      if (bring_back()) return true;
    }
    return false;
  }
  bool bring_back() {
    c10::SetCPUAllocator(this, priority_);
    return c10::GetCPUAllocator() == this;
  }
  void step_aside() const {
    if (c10::GetCPUAllocator() == this) c10::SetCPUAllocator(base_, priority_);
  }

 private:
  void follow(c10::DataPtr& block, std::size_t bytes) const {
    if (block.get() == block.get_context() &&
        block.compare_exchange_deleter(base_deleter_, own_deleter_))
      report_allocation(LAPTIME_MEMORY_CPU, block.get(), bytes);
    else
      memory_host().not_followed();
  }

  c10::Allocator* base_ = nullptr;
  c10::DeleterFnPtr base_deleter_ = nullptr;
  c10::DeleterFnPtr own_deleter_ = nullptr;
  std::uint8_t priority_ = 0;
};

// A deleter gets only the block, so each wrapper needs its own. Programs that change their
// allocator more often than this are no longer followed.
constexpr std::size_t kMaxWrappers = 8;
std::array<Wrapper*, kMaxWrappers> wrappers{};
std::size_t wrapper_count = 0;

template <std::size_t... I>
constexpr auto make_deleters(std::index_sequence<I...>) {
  return std::array<c10::DeleterFnPtr, sizeof...(I)>{
      [](void* block) { wrappers[I]->release(block); }...};
}
constexpr auto kDeleters = make_deleters(std::make_index_sequence<kMaxWrappers>());

// Whether allocations from `allocator` reach one of our wrappers. A wrapper of the program may be
// before ours.
bool leads_to_us(c10::Allocator* allocator) {
  const Mode before = mode.exchange(Mode::probe);
  probe_arrived = false;
  {
    const c10::DataPtr block = allocator->allocate(64);
  }
  mode = before;
  return probe_arrived;
}

// Contract: the caller holds the interpreter's lock, or no other thread calls. False: the allocator
// that the program uses from now on cannot be followed.
bool attach() {
  c10::Allocator* const current = c10::GetCPUAllocator();
  for (std::size_t i = 0; i < wrapper_count; ++i)
    if (wrappers[i] == current) return true;
  if (leads_to_us(current)) return true;
  for (std::size_t i = 0; i < wrapper_count; ++i)
    if (wrappers[i]->base() == current) return wrappers[i]->bring_back();
  if (wrapper_count == kMaxWrappers) return false;
  wrappers[wrapper_count] = new Wrapper;
  if (!wrappers[wrapper_count]->put_before(current, kDeleters[wrapper_count])) return false;
  ++wrapper_count;
  return true;
}

void mark_block(const c10::TensorImpl& tensor, std::uint32_t role) {
  const c10::Device device = tensor.device();
  if (!tensor.has_storage() || !(device.is_cpu() || device.is_cuda())) return;
  c10::StorageImpl* const storage = tensor.unsafe_storage().unsafeGetStorageImpl();
  if (storage == nullptr || storage->data() == nullptr) return;
  c10::DataPtr& block = storage->_mutable_data_ptr_no_checks();
  if (device.is_cuda()) {
    if (!reported_roles.has(block.get(), role) && follow_cuda_block(block.get()))
      report_role(device.index(), block.get(), storage->nbytes(), role);
    return;
  }
  for (std::size_t i = 0; i < wrapper_count; ++i) wrappers[i]->adopt(block);
  report_role(LAPTIME_MEMORY_CPU, block.get(), storage->nbytes(), role);
}

// What the self-test's own thread sees; other threads may allocate.
pthread_t tester;
const void *test_allocated = nullptr, *test_released = nullptr;
void see(const void*& seen, const void* address) {
  if (pthread_equal(tester, pthread_self())) seen = address;
}
// all 0, so that everything is reported by calls
std::atomic<std::uint32_t> no_names[LAPTIME_MEMORY_DEVICES]{};
const LaptimeMemoryHost kTestHost{
    LAPTIME_MEMORY_VERSION,
    no_names,
    [](int, const void* address, std::uint64_t) { see(test_allocated, address); },
    [](int, const void* address) { see(test_released, address); },
    [](int, const void*, std::uint64_t, std::uint32_t) {},
    [](int, std::uint64_t) {},
    [] {}};

bool works() {
  tester = pthread_self();
  const LaptimeMemoryHost* const before = host.exchange(&kTestHost);
  mode = Mode::record;
  const void* const address = c10::GetCPUAllocator()->allocate(64).get();
  mode = Mode::rest;
  host = before;
  return address != nullptr && test_allocated == address && test_released == address;
}

void mark(const std::uint64_t* tensors, std::size_t count, std::uint32_t role,
          std::uint32_t gradient_role) {
  if (mode != Mode::record) return;
  try {
    for (std::size_t i = 0; i < count; ++i) {
      const auto& tensor = *reinterpret_cast<const c10::TensorImpl*>(tensors[i]);
      mark_block(tensor, role);
      if (gradient_role != 0 && tensor.grad().defined())
        mark_block(*tensor.grad().unsafeGetTensorImpl(), gradient_role);
    }
  } catch (...) {  // a tensor of an odd kind: those before it are kept
  }
}

// The program's own allocator may throw, but the callers are C.
template <bool (*attempt)()>
int try_to() {
  try {
    return attempt() ? 0 : -1;
  } catch (...) {
    return -1;
  }
}

bool begin() {
  begin_cuda();
  return true;
}
void on() {
  reported_roles.clear();
  mode = Mode::record;
  (void)try_to<begin>();
}
void off() { mode = Mode::rest; }
void close() {
  off();
  for (std::size_t i = 0; i < wrapper_count; ++i) wrappers[i]->step_aside();
}

const LaptimeMemoryShim shim{LAPTIME_MEMORY_VERSION,
                             &try_to<attach>,
                             &try_to<attach_cuda>,
                             &try_to<works>,
                             &on,
                             &off,
                             &close,
                             &mark};

}  // namespace

extern "C" __attribute__((visibility("default"))) const LaptimeMemoryShim* laptime_torch_memory(
    const LaptimeMemoryHost* offered) {
  if (offered->version != LAPTIME_MEMORY_VERSION) return nullptr;
  // A forked child has no steps of its own to record.
  static const int fork_handler = pthread_atfork(nullptr, nullptr, [] { mode = Mode::rest; });
  host = offered;
  return fork_handler == 0 ? &shim : nullptr;
}
