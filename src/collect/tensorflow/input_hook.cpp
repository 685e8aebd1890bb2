#include "collect/tensorflow/input_hook.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "format/names.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace laptime::tensorflow {

namespace {

// The hidden result, the kernel, the context. Returns the address of the result.
using DoCompute = void* (*)(void*, void*, void*);

struct Request {
  std::atomic<std::uint64_t> start{0};       // 0: without a batch
  std::atomic<const void*> kernel{nullptr};  // which made it
  std::atomic<bool> is_optional{false};      // got an optional element, which may be empty
};
std::array<Request, kMostRequests> requests;
std::atomic<std::uint64_t> request_count{0};

void note_request(const void* kernel, std::uint64_t start, bool has_batch, bool is_optional) {
  Request& request = requests[request_count.fetch_add(1) % kMostRequests];
  request.kernel.store(kernel, std::memory_order_relaxed);
  request.is_optional.store(is_optional, std::memory_order_relaxed);
  request.start.store(has_batch ? start : 0, std::memory_order_relaxed);
}

// absl::Status holds one word. It is 1 for OK, 0 in versions before 2024.
bool is_ok(const void* status) { return *static_cast<const std::uintptr_t*>(status) <= 1; }

void put_wait(std::uint64_t start, bool has_batch) {
  static const std::uint32_t input = record::intern(span_name::kInput),
                             input_end = record::intern(span_name::kInputEnd);
  record::put_span({.start = start,
                    .end = ticks(),
                    .name = has_batch ? input : input_end,
                    .kind = SpanKind::loader});
}

constexpr int kNext = 0, kAsOptional = 1;  // kernels

// A kernel whose method is replaced.
template <int Number>
struct Kernel {
  static void* compute(void* result, void* kernel, void* context) {
    const std::uint64_t start = laptime_begin();
    void* const returned = original(result, kernel, context);
    if (start != 0) {
      const bool has_batch = is_ok(result);
      put_wait(start, has_batch);
      note_request(kernel, start, has_batch, Number == kAsOptional);
    }
    return returned;
  }
  static inline DoCompute original = nullptr;
};

struct Symbol {
  void* address = nullptr;
  std::size_t bytes = 0;
};

Symbol find_symbol(void* library, const char* name) {
  void* const address = dlsym(library, name);
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  if (address == nullptr ||
      dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
              RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || info.dli_saddr != address)
    return {};
  return {address, symbol->st_size};
}

template <int Number>
bool hook_kernel(void* library, const char* method_name, const char* table_name) {
  const Symbol method = find_symbol(library, method_name), table = find_symbol(library, table_name);
  if (method.address == nullptr || table.address == nullptr) return false;
  Kernel<Number>::original = reinterpret_cast<DoCompute>(method.address);
  return replace_in_table(static_cast<void**>(table.address), table.bytes / sizeof(void*),
                          method.address, reinterpret_cast<void*>(&Kernel<Number>::compute));
}

void* find_library() {
  for (const char* name : {"libtensorflow_cc.so.2", "libtensorflow_framework.so.2"})
    if (void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
        library != nullptr &&
        dlsym(library, "_ZTVN10tensorflow4data17IteratorGetNextOpE") != nullptr)
      return library;
  return nullptr;
}

const char* hook_kernels() {
  void* const library = find_library();
  if (library == nullptr) return "this TensorFlow does not export the kernel of IteratorGetNext";
  if (!hook_kernel<kNext>(
          library, "_ZN10tensorflow4data17IteratorGetNextOp9DoComputeEPNS_15OpKernelContextE",
          "_ZTVN10tensorflow4data17IteratorGetNextOpE"))
    return "the kernel of IteratorGetNext cannot be replaced";
  // Loops of AutoGraph use this one.
  (void)hook_kernel<kAsOptional>(
      library, "_ZN10tensorflow4data27IteratorGetNextAsOptionalOp9DoComputeEPNS_15OpKernelContextE",
      "_ZTVN10tensorflow4data27IteratorGetNextAsOptionalOpE");
  return nullptr;
}

// Calls the function for each request from number `first` on that got a batch.
template <typename Function>
void for_requests(std::uint64_t first, Function function) {
  const std::uint64_t end = input_requests();
  if (end > kMostRequests) first = std::max(first, end - kMostRequests);
  for (std::uint64_t i = first; i < end; ++i) {
    const Request& request = requests[i % kMostRequests];
    if (const std::uint64_t start = request.start.load(std::memory_order_relaxed); start != 0)
      function(start, request);
  }
}

struct Starts {
  std::vector<std::uint64_t> moments;
  bool are_optional = false;
};

}  // namespace

bool replace_in_table(void** table, std::size_t entries, void* method, void* ours) {
  void** const slot = std::find(table, table + entries, method);
  if (slot == table + entries) return false;
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) & ~(page_size - 1));
  if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*slot).store(ours);
  (void)mprotect(page, page_size, PROT_READ);  // as the loader left it (RELRO)
  return true;
}

std::uint64_t input_requests() { return request_count.load(); }

std::vector<std::uint64_t> request_starts(std::uint64_t first) {
  std::vector<std::uint64_t> starts;
  for_requests(first,
               [&](std::uint64_t start, const Request& /*request*/) { starts.push_back(start); });
  std::sort(starts.begin(), starts.end());
  return starts;
}

std::vector<std::uint64_t> busiest_request_starts(std::uint64_t first) {
  std::map<const void*, Starts> by_kernel;
  for_requests(first, [&](std::uint64_t start, const Request& request) {
    Starts& starts = by_kernel[request.kernel.load(std::memory_order_relaxed)];
    starts.moments.push_back(start);
    starts.are_optional = request.is_optional.load(std::memory_order_relaxed);
  });
  Starts busiest;
  for (auto& [kernel, starts] : by_kernel)
    if (starts.moments.size() > busiest.moments.size()) busiest = std::move(starts);
  std::sort(busiest.moments.begin(), busiest.moments.end());
  if (busiest.are_optional) busiest.moments.pop_back();
  return std::move(busiest.moments);
}

const char* install_input_hook() {
  static const char* const problem = hook_kernels();
  return problem;
}

}  // namespace laptime::tensorflow
