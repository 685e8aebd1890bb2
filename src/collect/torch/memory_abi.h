// The interface between laptime's module and the shim's allocator wrappers. The rules for versions
// in shim_abi.h hold here too. This header includes nothing of laptime: it is also installed beside
// the shim's sources.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {

enum { LAPTIME_MEMORY_VERSION = 3, LAPTIME_MEMORY_CPU = -1, LAPTIME_MEMORY_DEVICES = 129 };

// `device`: LAPTIME_MEMORY_CPU, or the number of a CUDA device. On the usual path none of these
// functions throws, locks or allocates.
struct LaptimeMemoryHost {
  std::uint32_t version;
  // LAPTIME_MEMORY_DEVICES names (record::intern), more than torch has device numbers. Device
  // `number` is at number + 1. 0: not interned yet; allocated() and released() intern it. If the
  // name is known, a block's record may be stored without a call.
  const std::atomic<std::uint32_t>* device_names;
  // HOT
  void (*allocated)(int device, const void* address, std::uint64_t bytes);
  void (*released)(int device, const void* address);
  // The block at the address has `role`, which was passed to mark().
  void (*has_role)(int device, const void* address, std::uint64_t bytes, std::uint32_t role);
  // The bytes that the device's caching allocator holds from now on, used or not.
  void (*reserved)(int device, std::uint64_t bytes);
  // A block was left out because its release cannot be seen.
  void (*not_followed)();
};

// All but off() are called under the interpreter's lock. Any thread may call off().
struct LaptimeMemoryShim {
  std::uint32_t version;
  // Puts the wrapper before the allocator that the program uses now, if it is not there yet.
  // Returns 0, or -1 if that allocator cannot be followed.
  int (*attach)();
  // Follows CUDA's caching allocator too, if it does not yet. Contract: the program has initialised
  // CUDA. Returns 0, or -1 if this shim was built without CUDA's headers.
  int (*attach_cuda)();
  // Tests the wrapper on one block. Returns 0, or -1 unless exactly one allocation and one release
  // were reported.
  int (*self_test)();
  void (*on)();
  void (*off)();
  // Switches the wrapper off. Blocks that were already reported are followed to their release.
  void (*close)();
  // `tensors`: TensorImpl addresses (Tensor._cdata) of tensors that the caller keeps alive. Their
  // blocks get the role. If the role for gradients is not 0, the blocks of their gradients get that
  // one. Blocks from before on() are followed from now on.
  void (*mark)(const std::uint64_t* tensors, std::size_t count, std::uint32_t role,
               std::uint32_t gradient_role);
};

// What a shim exports under the name "laptime_torch_memory".
typedef const LaptimeMemoryShim* (*LaptimeOpenMemory)(const LaptimeMemoryHost* host);
}
