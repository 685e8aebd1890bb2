#include "collect/cuda/torch_context.h"

#include <dlfcn.h>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace laptime::cuda {

namespace {

// Node's first members: a vtable, the count of its owners, sequence_nr_, topological_nr_,
// has_parent_, thread_id_. The count takes 16 bytes in a PyTorch that holds nodes by
// std::shared_ptr, and 8 since 2.13, which uses intrusive_ptr.
constexpr std::size_t kCountOffset = 8;
constexpr std::size_t kSequenceOffset[] = {24, 16};
constexpr std::size_t kThreadOffset[] = {48, 40};

std::uint64_t field(const void* object, std::size_t offset) {
  std::uint64_t value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof value);
  return value;
}

}  // namespace

TorchContext& TorchContext::get() {
  static TorchContext context;
  return context;
}

bool TorchContext::bind() {
#if defined(__x86_64__)
  void* const torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (!torch) return false;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(torch, name));
    return function != nullptr;
  };
  return find(peek_, "_ZN2at15sequence_number4peekEv") &&
         find(thread_, "_ZN2at14RecordFunction15currentThreadIdEv") &&
         find(node_, "_ZN5torch8autograd16get_current_nodeEv");
#else
  return false;
#endif
}

TorchContext::Node TorchContext::current_node() const {
  // A shared_ptr is two pointers: the object and its count of owners. An intrusive_ptr is one, and
  // leaves the second untouched.
  constexpr std::uint64_t kUntouched = 1;  // no address of anything
  alignas(std::shared_ptr<void>) std::byte returned[sizeof(std::shared_ptr<void>)] = {};
  static_assert(sizeof returned == 16);
  std::memcpy(returned + 8, &kUntouched, sizeof kUntouched);
  node_(returned);
  auto* const object = reinterpret_cast<char*>(field(returned, 0));
  if (!object) return {};
  const bool intrusive = field(returned, 8) == kUntouched;
  const std::uint64_t sequence = field(object, kSequenceOffset[intrusive]);
  const Node node{true, sequence == UINT64_MAX ? -1 : static_cast<std::int64_t>(sequence),
                  field(object, kThreadOffset[intrusive])};
  // The engine owns the node that it runs, so this owner is never the last.
  if (intrusive)
    __atomic_fetch_sub(reinterpret_cast<std::uint64_t*>(object + kCountOffset), 1,
                       __ATOMIC_ACQ_REL);
  else
    std::launder(reinterpret_cast<std::shared_ptr<void>*>(returned))->~shared_ptr();
  return node;
}

}  // namespace laptime::cuda
