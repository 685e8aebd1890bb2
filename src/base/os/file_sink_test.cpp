#include "base/os/file_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace laptime {

namespace {

namespace fs = std::filesystem;

class Sinks : public testing::Test {
 protected:
  Sinks() {
    std::string pattern = (fs::temp_directory_path() / "laptime-sink-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Sinks() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  fs::path folder_;
};

ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void put(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Status write_whole(const std::string& path, std::string_view text,
                   mode_t mode = FileSink::kShared) {
  ASSIGN_OR_RETURN(FileSink sink, FileSink::create(path, mode));
  RETURN_IF_ERROR(sink.write(bytes_of(text)));
  return sink.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat file{};
  ::stat(path.c_str(), &file);
  return file.st_mode & 0777;
}

void make_old(const std::string& path) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

}  // namespace

TEST_F(Sinks, AFileAppearsWholeOrNotAtAll) {
  put(at("out"), "old");
  {
    auto sink = FileSink::create(at("out"));
    ASSERT_TRUE(sink && sink->write(bytes_of("half")));
    EXPECT_EQ(content(at("out")), "old");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
  EXPECT_TRUE(write_whole(at("out"), "new"));
  EXPECT_EQ(content(at("out")), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
}

TEST_F(Sinks, ModesFollowTheUmaskAndPrivateFilesAreTheOwners) {
  const mode_t before = ::umask(022);
  EXPECT_TRUE(write_whole(at("shared"), "x"));
  EXPECT_TRUE(write_whole(at("private"), "x", FileSink::kPrivate));
  ::umask(before);
  EXPECT_EQ(mode_of(at("shared")), 0644u);
  EXPECT_EQ(mode_of(at("private")), 0600u);
}

TEST_F(Sinks, TheTemporaryCannotBePreparedByOthers) {
  std::vector<std::string> seen;
  for (int i = 0; i < 3; ++i) {
    auto sink = FileSink::create(at("out"));
    ASSERT_TRUE(sink);
    seen.push_back(names().front());
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_EQ(seen[0].find(std::to_string(::getpid())), std::string::npos);
}

TEST_F(Sinks, ALinkStaysAndItsTargetIsWritten) {
  fs::create_directory(at("elsewhere"));
  put(at("elsewhere/target"), "old");
  fs::create_symlink("elsewhere/target", at("link"));
  fs::create_symlink("link", at("link to link"));
  EXPECT_TRUE(write_whole(at("link to link"), "new"));
  EXPECT_EQ(content(at("elsewhere/target")), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")) && fs::is_symlink(at("link to link")));
}

TEST_F(Sinks, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("target", at("link"));
  EXPECT_TRUE(write_whole(at("link"), "new"));
  EXPECT_EQ(content(at("target")), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(Sinks, LinksInACircleAreAnError) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  EXPECT_FALSE(write_whole(at("a"), "x"));
  EXPECT_TRUE(fs::is_symlink(at("a")) && fs::is_symlink(at("b")));
}

TEST_F(Sinks, AFifoIsWrittenThrough) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = content(at("pipe")); });
  EXPECT_TRUE(write_whole(at("pipe"), "through"));
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(Sinks, ADeviceIsWrittenThrough) {
  EXPECT_TRUE(write_whole("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Sinks, ADescriptorByNameIsWrittenAtItsPosition) {
  put(at("out"), "");
  const UniqueFd fd(::open(at("out").c_str(), O_WRONLY | O_APPEND));
  ASSERT_EQ(write_fully(fd.get(), bytes_of("before ")), 0);
  EXPECT_TRUE(write_whole("/dev/fd/" + std::to_string(fd.get()), "through"));
  EXPECT_TRUE(write_whole("/proc/self/fd/" + std::to_string(fd.get()), " twice"));
  EXPECT_EQ(content(at("out")), "before through twice");
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
}

TEST_F(Sinks, WhatKilledWritersLeftIsRemovedAndNothingElse) {
  const std::vector<std::string> others{".out.laptime-abc", ".out.laptime-abcdefg",
                                        ".other.laptime-abcdef", "out.laptime-abcdef"};
  for (const std::string& name : others) {
    put(at(name), "");
    make_old(at(name));
  }
  put(at(".out.laptime-left01"), "");
  make_old(at(".out.laptime-left01"));
  put(at(".out.laptime-young1"), "");
  put(at(".out.laptime-locked"), "");
  make_old(at(".out.laptime-locked"));
  const UniqueFd locked(::open(at(".out.laptime-locked").c_str(), O_RDWR));
  ASSERT_EQ(::flock(locked.get(), LOCK_EX), 0);
  fs::create_directory(at("precious"));
  fs::create_symlink("precious", at(".out.laptime-links1"));
  EXPECT_TRUE(write_whole(at("out"), "new"));
  std::vector<std::string> expected{others};
  expected.insert(expected.end(), {".out.laptime-young1", ".out.laptime-locked",
                                   ".out.laptime-links1", "precious", "out"});
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names(), expected);
}

TEST_F(Sinks, ADurableCommitIsThereAfterwards) {
  auto sink = FileSink::create(at("out"), FileSink::kPrivate);
  ASSERT_TRUE(sink && sink->write(bytes_of("kept")) && sink->commit_durably());
  EXPECT_EQ(content(at("out")), "kept");
}

}  // namespace laptime
