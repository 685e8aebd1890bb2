// Compares our declarations with NVIDIA's own headers, if these are installed. Checked at compile
// time.
#include "collect/cuda/nvtx/nvtx_types.h"

#include <gtest/gtest.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace laptime::nvtx {

constexpr bool same(auto ours, auto theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

#define SAME_ATTRIBUTE(ours, theirs)                                                         \
  static_assert(offsetof(EventAttributes, ours) == offsetof(nvtxEventAttributes_t, theirs)); \
  static_assert(sizeof(EventAttributes::ours) == sizeof(nvtxEventAttributes_t::theirs))
SAME_ATTRIBUTE(size, size);
SAME_ATTRIBUTE(message_type, messageType);
SAME_ATTRIBUTE(message, message);
static_assert(sizeof(EventAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(same(kAscii, NVTX_MESSAGE_TYPE_ASCII) && same(kUnicode, NVTX_MESSAGE_TYPE_UNICODE) &&
              same(kRegistered, NVTX_MESSAGE_TYPE_REGISTERED));
static_assert(same(kCore, NVTX_CB_MODULE_CORE) && same(kCore2, NVTX_CB_MODULE_CORE2) &&
              same(kCallbacksTable, NVTX_ETID_CALLBACKS));
static_assert(same(kMarkEx, NVTX_CBID_CORE_MarkEx) &&
              same(kRangeStartEx, NVTX_CBID_CORE_RangeStartEx) &&
              same(kRangeEnd, NVTX_CBID_CORE_RangeEnd));
static_assert(same(kRangePushEx, NVTX_CBID_CORE_RangePushEx) &&
              same(kRangePop, NVTX_CBID_CORE_RangePop));
static_assert(same(kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx) &&
              same(kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop));
static_assert(same(kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA) &&
              same(kDomainCreateW, NVTX_CBID_CORE2_DomainCreateW));
static_assert(sizeof(Callbacks) == sizeof(NvtxExportTableCallbacks));

TEST(NvtxTypes, AreThoseOfNvidiasHeaders) { SUCCEED(); }

}  // namespace laptime::nvtx

#else

TEST(NvtxTypes, AreThoseOfNvidiasHeaders) { GTEST_SKIP() << "NVTX's headers are not installed"; }

#endif
