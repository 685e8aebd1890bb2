// A program closes, deletes or truncates laptime's files, or reaches a limit. The program
// continues, its files are untouched, and the file counts what could not be recorded.
#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <csignal>
#include <fstream>

#include "record/collector.h"
#include "record/recorder.h"
#include "record/testing/recording.h"

namespace laptime {
namespace {

class RecorderEdgesTest : public RecorderTest {
 protected:
  void start(std::uint64_t memory_limit = 8u << 20) {
    const laptime_options options{sizeof options, memory_limit};
    if (laptime_start(path_.c_str(), &options) != 0) _exit(100);
  }
  void expect(bool holds, int code) {
    if (!holds) _exit(code);
  }
  static bool waits_for(const std::function<bool()>& holds) {
    for (int i = 0; i < 20'000 && !holds(); ++i) {
      scopes(1);
      usleep(500);
    }
    return holds();
  }
  static bool stopped() { return record::Recorder::get().current()->stopped_by != 0; }

  std::string checkpoint_ = folder_ + "/checkpoint";
};

std::uint64_t lost(const std::string& path, const std::string& name) {
  auto run = open_run(path);
  EXPECT_TRUE(run) << run.error().message;
  if (!run) return 0;
  for (const WarningCount& warning : run->warnings)
    if (warning.name == name) return warning.count;
  return 0;
}

int our_descriptor() {
  for (int fd = 3; fd < 1024; ++fd) {
    std::error_code none;
    const auto target = fs::read_symlink("/proc/self/fd/" + std::to_string(fd), none);
    if (!none && target.extension() == ".part") return fd;
  }
  return -1;
}

// Like os.closerange; then our number becomes a file of the program. Raw system calls, because
// ThreadSanitizer reports a close beside the encoder's use of the number as a race. That race is
// what this tests.
int take_our_number(const std::string& file) {
  const int ours = our_descriptor();
  for (int fd = 3; fd < 1024; ++fd) ::syscall(SYS_close, fd);
  const int opened = ::open(file.c_str(), O_RDWR | O_CREAT, 0600);
  return ours < 0 ? -1 : static_cast<int>(::syscall(SYS_dup3, opened, ours, 0));
}

TEST_F(RecorderEdgesTest, ANumberThatTheProgramTookIsNeverWritten) {
  const int status = in_child([&] {
    start();
    scopes(20'000);
    const int fd = take_our_number(checkpoint_);
    expect(fd > 0 && ::write(fd, "weights", 7) == 7, 1);
    scopes(200'000);
    usleep(1'200'000);  // a clock point is written once a second
    scopes(1'000);
    expect(laptime_stop() == 0, 2);
    expect(::write(fd, "!", 1) == 1, 3);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(fs::file_size(checkpoint_), 8u);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans + c.lost, 221'000u);
  EXPECT_EQ(lost(path_, "part_lost"), 0u);
}

TEST_F(RecorderEdgesTest, AForkedChildKeepsTheFileThatTookOurNumber) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer takes the program's stray close for a race";
#endif
  const int status = in_child([&] {
    start();
    scopes(10);
    const int fd = take_our_number(checkpoint_);
    const int child = in_child([&] {
      scopes(10);
      expect(::write(fd, "child", 5) == 5, 1);
    });
    expect(WEXITSTATUS(child) == 0, 1);
    expect(laptime_stop() == 0, 2);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(fs::file_size(checkpoint_), 5u);
  EXPECT_EQ(count(path_).spans, 20u);
}

// Neither the number nor the path leads to the file any more. The encoder has a descriptor that the
// program cannot close.
TEST_F(RecorderEdgesTest, AFileThatWasMovedAndClosedIsRecordedOrCountedIn) {
  const int status = in_child([&] {
    start();
    scopes(50'000);
    fs::rename(path_ + ".d", folder_ + "/moved");
    take_our_number(checkpoint_);
    for (int i = 0; i < 50; ++i) {
      scopes(10'000);
      usleep(1'000);
    }
    _exit(0);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(fs::file_size(checkpoint_), 0u);
  const std::string moved = folder_ + "/moved";
  const Counted c = count(moved);
  EXPECT_EQ(c.spans + c.lost + lost(moved, "part_lost"), 550'000u);
}

TEST_F(RecorderEdgesTest, NoPipeOfTheProgramIsHeldOpen) {
  const int status = in_child([&] {
    int ends[2];
    expect(::pipe(ends) == 0, 1);
    start();
    scopes(10);
    ::close(ends[1]);
    ::alarm(10);
    char byte;
    expect(::read(ends[0], &byte, 1) == 0, 2);
    expect(laptime_stop() == 0, 3);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RecorderEdgesTest, ADeletedFolderStopsTheRecordingOnly) {
  const int status = in_child([&] {
    start();
    scopes(1'000);
    fs::remove_all(path_ + ".d");
    expect(waits_for(&stopped), 1);
    scopes(500'000);
    laptime_stop();
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RecorderEdgesTest, ALimitOnFileSizesSendsNoSignalAndCountsWhatIsDropped) {
  constexpr std::uint64_t kMostScopes = 400'000'000,
                          kAtOnce = 10'000;  // a busy machine leaves the encoder little time
  auto* const made = static_cast<std::uint64_t*>(mmap(
      nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const int status = in_child([&] {
    const rlimit limit{4u << 20, 4u << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    start(128u << 20);
    for (; !stopped() && *made < kMostScopes; *made += kAtOnce) {
      scopes(kAtOnce);
      usleep(500);
    }
    expect(stopped(), 1);
    scopes(500'000);
    *made += 500'000;
    _exit(0);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Counted c = count(path_ + ".d");
  const std::uint64_t dropped = lost(path_ + ".d", "file_size_limit");
  EXPECT_GT(c.spans, 50'000u);
  EXPECT_GT(dropped, 400'000u);
  EXPECT_EQ(c.spans + dropped + c.lost, *made);
  munmap(made, sizeof(std::uint64_t));
}

TEST_F(RecorderEdgesTest, WhatALimitOnFileSizesLeavesNoRoomForIsNotTheMemoryLimits) {
  const int status = in_child([&] {
    const rlimit limit{1u << 20, 1u << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    start(128u << 20);
    scopes(300'000);
    expect(laptime_stop() == 0, 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.lost, 0u);
  EXPECT_EQ(c.spans + lost(path_, "file_size_limit"), 300'000u);
  EXPECT_LT(c.spans, 300'000u);
}

TEST_F(RecorderEdgesTest, TheSmallestLimitOnFileSizesIsOneError) {
  const int status = in_child([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    expect(laptime_start(path_.c_str(), nullptr) == -1, 1);
    scopes(1'000);
    expect(fs::is_empty(path_ + ".d"), 2);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

class LostPagesTest : public RecorderEdgesTest, public ::testing::WithParamInterface<int> {};

TEST_P(LostPagesTest, ATruncatedPartEndsTheRecordingAndNotTheProgram) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers handle SIGBUS themselves";
#endif
  const int status = in_child([&] {
    start();
    scopes(10'000);
    expect(::truncate(record::part_path(), GetParam()) == 0, 1);
    scopes(300'000);
    std::thread([] { scopes(10'000); }).join();
    expect(waits_for(&stopped), 2);
    laptime_stop();
    struct sigaction now{};
    ::sigaction(SIGBUS, nullptr, &now);
    expect(now.sa_handler == SIG_DFL, 3);
    start();
    scopes(10);
    expect(laptime_stop() == 0, 4);
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(count(path_).spans, 10u);
}
INSTANTIATE_TEST_SUITE_P(To, LostPagesTest, ::testing::Values(0, 4096, 100'000));

TEST_F(RecorderEdgesTest, AnotherBusErrorEndsTheProgramAsWithoutUs) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers handle SIGBUS themselves";
#endif
  const int status = in_child([&] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    start();
    ::kill(::getpid(), SIGBUS);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

TEST_F(RecorderEdgesTest, AProgramWithoutRoomForAThreadIsRecorded) {
  if (::getuid() != 0)
    GTEST_SKIP() << "limits on threads need another user, and only root can become one";
  fs::permissions(folder_, fs::perms::all);
  const int status = in_child([&] {
    const rlimit limit{0, 0};
    setrlimit(RLIMIT_NPROC, &limit);
    expect(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0, 1);
    start();
    scopes(100'000);
    expect(laptime_stop() == 0, 2);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(count(path_).spans + count(path_).lost, 100'000u);
  EXPECT_EQ(lost(path_, "no_encoder_thread"), 1u);
}

TEST_F(RecorderEdgesTest, AChildWithoutADescriptorLeavesWordInTheRun) {
  const int status = in_child([&] {
    start();
    scopes(10);
    const int child = in_child([&] {
      const rlimit limit{3, 3};
      setrlimit(RLIMIT_NOFILE, &limit);
      scopes(10);
    });
    expect(WIFEXITED(child) && WEXITSTATUS(child) == 0, 1);
    expect(laptime_stop() == 0, 2);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(count(path_).spans, 10u);
  EXPECT_EQ(lost(path_, "process_not_recorded"), 1u);
  EXPECT_FALSE(fs::exists(path_ + ".d"));
}

TEST_F(RecorderEdgesTest, WhatIsNotOursStaysInTheFolder) {
  fs::create_directory(folder_ + "/elsewhere");
  for (const char* name : {"notes.txt", "12-00000000000000ab.part"})
    std::ofstream(folder_ + "/elsewhere/" + name) << "the program's";
  fs::create_symlink(folder_ + "/elsewhere", path_ + ".d");
  const int status = in_child([&] {
    start();
    fs::create_symlink(folder_ + "/elsewhere/notes.txt",
                       folder_ + "/elsewhere/13-00000000000000ab.part");
    scopes(10);
    expect(laptime_stop() == 0, 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(count(path_).spans, 10u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/elsewhere"), {}), 3);
  EXPECT_TRUE(fs::is_symlink(path_ + ".d"));
}

TEST_F(RecorderEdgesTest, OthersCannotReadAPart) {
  start();
  struct stat part{}, folder{};
  ::stat(record::part_path(), &part);
  ::stat((path_ + ".d").c_str(), &folder);
  EXPECT_EQ(part.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.st_mode & 0777, 0700u);
  laptime_stop();
}

}  // namespace
}  // namespace laptime
