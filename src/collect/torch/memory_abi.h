// What laptime's module and the shim's followers of allocators say to each other. What shim_abi.h
// says of versions holds here too. This header stands alone: it is also installed beside the shim's
// sources.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {

enum { LAPTIME_MEMORY_VERSION = 3, LAPTIME_MEMORY_CPU = -1, LAPTIME_MEMORY_DEVICES = 129 };

// `device`: LAPTIME_MEMORY_CPU, or a CUDA device's number. None of them throws, locks or allocates
// on the usual path.
struct LaptimeMemoryHost {
  std::uint32_t version;
  // Of device `number` at number + 1, LAPTIME_MEMORY_DEVICES of them, more than torch has numbers
  // for: record::intern of its name; 0: not made yet, which allocated and released do. Where it is
  // known a block's record may be stored without a call.
  const std::atomic<std::uint32_t>* device_names;
  // HOT
  void (*allocated)(int device, const void* address, std::uint64_t bytes);
  void (*released)(int device, const void* address);
  // The block at the address is what `role`, which mark() was given, says.
  void (*has_role)(int device, const void* address, std::uint64_t bytes, std::uint32_t role);
  // How much the device's caching allocator holds from now on, used or not.
  void (*reserved)(int device, std::uint64_t bytes);
  // A block whose release cannot be seen was left out.
  void (*not_followed)();
};

// All but off, which any thread may call, are called under the interpreter's lock.
struct LaptimeMemoryShim {
  std::uint32_t version;
  // Stands before the allocator that the program uses now, if it does not yet. 0, or -1: that one
  // cannot be followed.
  int (*attach)();
  // Follows CUDA's caching allocator too, if it does not yet. Contract: the program has initialised
  // CUDA. 0, or -1: this shim was built without CUDA's headers.
  int (*attach_cuda)();
  // Tries it on one block. 0, or -1 when not exactly its allocation and its release were told.
  int (*self_test)();
  void (*on)();
  void (*off)();
  // Steps aside. Blocks that were told of are still followed to their release.
  void (*close)();
  // `tensors`: TensorImpl addresses (Tensor._cdata) of tensors that the caller keeps alive. Their
  // blocks have the role; with another one than 0 for gradients, the blocks of their gradients have
  // that. Blocks from before on() are followed from now.
  void (*mark)(const std::uint64_t* tensors, std::size_t count, std::uint32_t role,
               std::uint32_t gradient_role);
};

// What a shim exports under the name "laptime_torch_memory".
typedef const LaptimeMemoryShim* (*LaptimeOpenMemory)(const LaptimeMemoryHost* host);
}
