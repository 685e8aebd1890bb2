#include "cli/run/machine_load.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "base/clock.h"

namespace laptime {
namespace {

TEST(MachineLoad, CountsTheProcessorsThatMayBeUsed) {
  cpu_set_t usable;
  ASSERT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
  const auto load = read_machine_load();
  ASSERT_TRUE(load);
  EXPECT_EQ(load->cpus, static_cast<unsigned>(CPU_COUNT(&usable)));
}

TEST(MachineLoad, HoldsWhatThisProcessDoes) {
  constexpr std::uint64_t kBusy = 200'000'000,
                          kTick = 20'000'000;  // as coarse as it is counted, and with room
  const auto before = read_machine_load();
  const std::uint64_t begin = process_cpu_ns();
  while (process_cpu_ns() - begin < kBusy) {
  }
  const auto used = load_since(before);
  ASSERT_TRUE(used);
  EXPECT_GE(used->busy_ns, static_cast<std::int64_t>(kBusy - kTick));
}

TEST(MachineLoad, WithoutABeginningThereIsNone) { EXPECT_FALSE(load_since(std::nullopt)); }

}  // namespace
}  // namespace laptime
