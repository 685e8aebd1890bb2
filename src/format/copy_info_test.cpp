#include "format/copy_info.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(CopyInfo, IsOneNumber) {
  for (std::uint64_t direction = 0; direction < 11; ++direction)
    for (std::uint64_t kind = 0; kind < 8; ++kind)
      for (const bool blocking : {false, true}) {
        const CopyInfo copy{copy_direction(direction), memory_kind(kind), memory_kind(7 - kind),
                            blocking};
        EXPECT_EQ(CopyInfo::unpack(copy.pack()), copy);
      }
}

TEST(CopyInfo, NumbersThatAreNoneAreUnknown) {
  EXPECT_EQ(copy_direction(11), CopyDirection::unknown);
  EXPECT_EQ(memory_kind(8), MemoryKind::unknown);
  EXPECT_EQ(CopyInfo::unpack(0x00FF'FFFF), CopyInfo{});
}

TEST(CopyInfo, WaitsForPageableMemoryAndIfRequested) {
  CopyInfo copy{CopyDirection::host_to_device, MemoryKind::pinned, MemoryKind::device, false};
  EXPECT_FALSE(copy.waits());
  copy.source = MemoryKind::pageable;
  EXPECT_TRUE(copy.waits());
  EXPECT_TRUE((CopyInfo{.blocking = true}).waits());
}

TEST(CopyInfo, HasTheNameThatTorchGives) {
  EXPECT_EQ(copy_name({CopyDirection::host_to_device, MemoryKind::pageable, MemoryKind::device}),
            "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(fill_name(MemoryKind::device), "Memset (Device)");
}

}  // namespace
}  // namespace laptime
