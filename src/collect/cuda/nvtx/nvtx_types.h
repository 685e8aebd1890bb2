// The interface between NVTX's headers and an injected library: NVTX 3, which all programs have
// compiled in. Declared here so that the build needs nothing of CUDA. nvtx_types_test.cpp compares
// it with NVIDIA's headers where these are installed.
#pragma once

#include <cstdint>

namespace laptime::nvtx {

// Only the fields that are read. `size`: the size that the caller has.
struct EventAttributes {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;  // char*, wchar_t*, or a handle of laptime's
};
enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

using Function = void (*)();
enum Module : int { kCore = 1, kCore2 = 5 };
enum CoreCall : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kCoreCalls
};
enum Core2Call : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kCore2Calls
};

// Table 1, from the function that InitializeInjectionNvtx2 gets.
struct Callbacks {
  std::size_t struct_size;
  // Sets `table` to `size` addresses, each of a function pointer. A call with that number goes to
  // that function. 1: success.
  int (*module_table)(int module, Function*** table, unsigned* size);
};
inline constexpr std::uint32_t kCallbacksTable = 1;
using GetExportTable = const void* (*)(std::uint32_t table);

}  // namespace laptime::nvtx
