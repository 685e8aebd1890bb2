#include "base/varint.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace laptime {
namespace {

TEST(Varint, EveryLengthSurvivesTheRoundTrip) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers = {0,        1,    127, 128, 16383, 16384, (1u << 21) - 1,
                                        1u << 21, ~0ull};
  for (int bits = 1; bits <= 64; ++bits)
    for (int i = 0; i < 50; ++i) numbers.push_back(random() >> (64 - bits));
  for (const std::uint64_t n : numbers) {
    std::uint8_t buffer[kMaxVarint];
    const std::uint8_t* end = put_varint(buffer, n);
    std::uint64_t back = 0;
    EXPECT_EQ(read_varint(buffer, end, back), end);
    EXPECT_EQ(back, n);
  }
}

TEST(Varint, NeverReadsPastTheEnd) {
  std::uint8_t buffer[kMaxVarint];
  const std::uint8_t* end = put_varint(buffer, ~0ull);
  for (const std::uint8_t* cut = buffer; cut < end; ++cut) {
    const std::vector<std::uint8_t> exact(static_cast<const std::uint8_t*>(buffer),
                                          cut);  // ASan guards its end
    std::uint64_t v;
    EXPECT_EQ(read_varint(exact.data(), exact.data() + exact.size(), v), nullptr);
  }
}

TEST(Varint, RefusesNumbersOverSixtyFourBits) {
  const std::uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  std::uint64_t v;
  EXPECT_EQ(read_varint(too_long, too_long + sizeof too_long, v), nullptr);
}

TEST(Zigzag, KeepsSmallNumbersSmallAndExtremesExact) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  for (const std::int64_t v : {std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max(), std::int64_t{-12345}})
    EXPECT_EQ(unzigzag(zigzag(v)), v);
}

}  // namespace
}  // namespace laptime
