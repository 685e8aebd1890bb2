#include "advise/evidence/machine.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr std::int64_t kSecond = 1000000000;

Run run_of(std::int64_t busy_ns) {
  Run run;
  run.properties = {{"cpus", 2},
                    {"wall_ns", kSecond},
                    {"cpu_user_ns", 600000000},
                    {"cpu_system_ns", 100000000},
                    {"machine_busy_ns", busy_ns}};
  return run;
}

TEST(Machine, OthersAreWhatTheProgramDidNotDo) {
  EXPECT_EQ(find_machine(run_of(2000000000), {}).sentence(),
            "machine busy: others used 1.3 of 2 CPUs");
  EXPECT_EQ(find_machine(run_of(750000000), {}).sentence(), "");
}

TEST(Machine, OthersThatLeaveProcessorsFreeDoNotMatter) {
  laptime::Run run = run_of(4000000000);
  run.properties["cpus"] = 16;
  EXPECT_FALSE(find_machine(run, {}).is_busy());
}

TEST(Machine, ThreadsThatWantProcessorsAreCounted) {
  Process process;
  process.properties["torch running"] = 4.80;
  EXPECT_EQ(find_machine(run_of(700000000), process).sentence(),
            "machine busy: 4.8 threads for 2 CPUs");
  EXPECT_EQ(find_machine(run_of(2000000000), process).sentence(),
            "machine busy: 4.8 threads for 2 CPUs, of which others used 1.3");
  process.properties["torch running"] = 2.10;
  EXPECT_FALSE(find_machine(run_of(700000000), process).is_busy());
}

TEST(Machine, WhatIsNotKnownIsNotSaid) {
  EXPECT_EQ(find_machine(laptime::Run{}, {}).sentence(), "");
}

}  // namespace
}  // namespace laptime
