#include "collect/tensorflow/input_hook.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace laptime::tensorflow {
namespace {

class ReadOnlyTable : public ::testing::Test {
 protected:
  void SetUp() override {
    table_ = static_cast<void**>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(table_, MAP_FAILED);
    table_[0] = &first_;
    table_[1] = &second_;
    ASSERT_EQ(mprotect(table_, 4096, PROT_READ), 0);
  }
  void TearDown() override { munmap(table_, 4096); }

  int first_ = 0, second_ = 0, ours_ = 0, other_ = 0;
  void** table_ = nullptr;
};

TEST_F(ReadOnlyTable, ReplacesTheEntryOfTheMethodOnly) {
  EXPECT_TRUE(replace_in_table(table_, 2, &second_, &ours_));
  EXPECT_EQ(table_[0], &first_);
  EXPECT_EQ(table_[1], &ours_);
}

TEST_F(ReadOnlyTable, LeavesATableWithoutTheMethodAsItIs) {
  EXPECT_FALSE(replace_in_table(table_, 2, &other_, &ours_));
  EXPECT_FALSE(replace_in_table(table_, 1, &second_, &ours_));
  EXPECT_EQ(table_[0], &first_);
  EXPECT_EQ(table_[1], &second_);
}

TEST_F(ReadOnlyTable, MakesThePageReadOnlyAgain) {
  ASSERT_TRUE(replace_in_table(table_, 2, &first_, &ours_));
  EXPECT_DEATH(*const_cast<void* volatile*>(table_) = nullptr, "");
}

TEST(InputHook, GivesAReasonWithoutTensorFlow) { EXPECT_NE(install_input_hook(), nullptr); }

}  // namespace
}  // namespace laptime::tensorflow
