#include "base/os/memory_limit.h"

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

namespace laptime {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(MemoryLimit, IsTheLeastThatAnyGroupAroundLeaves) {
  const std::string mount = testing::TempDir() + "laptime_cgroups";
  write(mount + "/job/memory.max", "1000\n");
  write(mount + "/job/memory.current", "700\n");
  write(mount + "/job/memory.stat", "anon 5\ninactive_file 100\n");
  write(mount + "/job/step/memory.max", "max\n");
  EXPECT_EQ(cgroup_memory_left("0::/job/step\n", mount), 400u);
  EXPECT_EQ(cgroup_memory_left("0::/\n", mount), UINT64_MAX);
  write(mount + "/memory/old/memory.limit_in_bytes", "500\n");
  write(mount + "/memory/old/memory.usage_in_bytes", "600\n");
  EXPECT_EQ(cgroup_memory_left("4:cpu,memory:/old\n", mount), 0u);
  EXPECT_EQ(cgroup_memory_left("no lines of that kind", mount), UINT64_MAX);
  std::filesystem::remove_all(mount);
}

TEST(MemoryLimit, SmallFilesMayNotTakeMuchMemory) {
  ReadBudget budget;
  budget.add_file(495'000);
  EXPECT_TRUE(budget.take(100u << 20));
  EXPECT_FALSE(budget.exceeded());
  EXPECT_FALSE(budget.take(std::uint64_t{4} << 30));
  EXPECT_FALSE(budget.take(1)) << "from then on nothing fits";
  EXPECT_TRUE(budget.exceeded());
}

TEST(MemoryLimit, SumsDoNotOverflow) {
  ReadBudget budget;
  EXPECT_FALSE(budget.take(UINT64_MAX));
  EXPECT_FALSE(budget.take(UINT64_MAX));
}

}  // namespace
}  // namespace laptime
