#include "import/byte_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "import/open_stream.h"
#include "import/testing/compression.h"
#include "import/testing/memory_source.h"

namespace laptime {
namespace {

using namespace std::string_literals;

// Compresses neither to nothing nor not at all.
std::string text(std::size_t size) {
  std::mt19937 random(7);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>('a' + random() % 8);
  return out;
}

struct Content {
  std::string bytes, error;
  bool is_truncated = false;
};

// Takes pieces of many sizes, in each way that a stream has.
Content content_of(std::string_view stored, std::size_t most = SIZE_MAX,
                   ImportBudget budget = ImportBudget()) {
  Content content;
  auto in = open_stream(memory_source(view(stored), most), budget);
  if (!in) {
    content.error = in.error().message;
    return content;
  }
  for (std::size_t n = 1; !in->peek(1).empty(); n = n * 3 % 70'001) {
    if (n % 2 == 0) {
      content.bytes += static_cast<char>(in->u8());
      continue;
    }
    const ByteView piece = in->peek(std::min(n, ByteStream::kBuffer));
    content.bytes.append(piece.begin(), piece.end());
    in->skip(piece.size());
  }
  EXPECT_EQ(in->offset(), content.bytes.size());
  content.is_truncated = in->is_truncated();
  if (in->is_broken() || in->is_truncated()) content.error = in->error().value().message;
  return content;
}

TEST(ByteStream, GivesTheSameBytesHoweverTheyAreStored) {
  for (const std::size_t size : {0u, 1u, 3u, 4u, 65'535u, 65'536u, 65'537u, 1'000'000u})
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}, SIZE_MAX}) {
      if (size > 100'000 && most == 1) continue;
      const std::string bytes = text(size);
      for (const std::string& stored : {bytes, gzip(bytes), zstd(bytes)}) {
        const Content content = content_of(stored, most);
        EXPECT_EQ(content.error, "");
        EXPECT_TRUE(content.bytes == bytes) << size << ' ' << most;
      }
    }
}

TEST(ByteStream, ReadsWholeBlocks) {
  const std::string bytes = text(300'000), stored = gzip(bytes);
  ImportBudget budget;
  auto in = open_stream(memory_source(view(stored)), budget);
  ASSERT_TRUE(in);
  EXPECT_EQ(in->u8(), bytes[0]);
  Bytes out(299'990);
  in->read(out);
  EXPECT_FALSE(in->failed());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin() + 1));
  EXPECT_EQ(in->peek(100).size(), 9u);
  out.resize(10);
  in->read(out);
  EXPECT_TRUE(in->failed());
  EXPECT_EQ(out, Bytes(10));
  EXPECT_EQ(in->u8(), 0);
  EXPECT_EQ(in->little_endian<std::uint32_t>(), 0u);
  EXPECT_EQ(in->error().value().message, "is cut short");
}

TEST(ByteStream, MembersAndFramesFollowEachOther) {
  const std::string skippable = "\x50\x2a\x4d\x18\x03\0\0\0abc"s;
  EXPECT_EQ(content_of(gzip("one ") + gzip("") + gzip("two")).bytes, "one two");
  EXPECT_EQ(content_of(gzip("one") + std::string(512, '\0')).bytes, "one");
  EXPECT_EQ(content_of(skippable + zstd("one ") + skippable + zstd("two")).bytes, "one two");
}

TEST(ByteStream, GivesWhatCameOfTruncatedData) {
  const std::string bytes = text(200'000);
  for (const auto& [stored, name] :
       {std::pair(gzip(bytes), "gzip"), std::pair(zstd(bytes), "zstd")})
    for (const std::size_t cut : {std::size_t{1}, std::size_t{9}, stored.size() / 4}) {
      const Content content = content_of(stored.substr(0, stored.size() - cut));
      EXPECT_TRUE(content.is_truncated);
      EXPECT_EQ(content.error, "is cut short: its "s + name + " data ends before its end");
      EXPECT_TRUE(bytes.starts_with(content.bytes));
      EXPECT_GT(content.bytes.size(), 10'000u);
    }
}

TEST(ByteStream, NamesWhatIsDamaged) {
  for (const auto& [stored, name] :
       {std::pair(gzip(text(1000)), "gzip"), std::pair(zstd(text(1000)), "zstd")}) {
    std::string damaged = stored;
    for (std::size_t i = 20; i < 120; ++i) damaged[i] ^= 0x55;
    EXPECT_EQ(content_of(damaged).error, "holds damaged "s + name + " data");
    EXPECT_EQ(content_of(stored + "more").error, "holds damaged "s + name + " data");
  }
}

TEST(ByteStream, EndsWhateverIsDamaged) {
  const std::string bytes = text(400);
  for (const std::string& stored : {gzip(bytes), zstd(bytes)})
    for (std::size_t i = 0; i < stored.size(); ++i)
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        std::string damaged = stored;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        EXPECT_LT(content_of(damaged, 13, ImportBudget(4 << 20)).bytes.size(), 1u << 20);
      }
}

TEST(ByteStream, OpensOneLayerOfCompression) {
  EXPECT_EQ(content_of(gzip(gzip("x"))).error, "holds gzip inside gzip; decompress it once before");
  EXPECT_EQ(content_of(gzip(zstd("x"))).error, "holds zstd inside gzip; decompress it once before");
  EXPECT_EQ(content_of(zstd(gzip("x"))).error, "holds gzip inside zstd; decompress it once before");
}

TEST(ByteStream, ItsOwnMemoryIsInTheBudget) {
  const std::string bytes = text(3'000'000);
  EXPECT_NE(content_of(bytes, SIZE_MAX, ImportBudget(10'000)).error, "");
  EXPECT_NE(content_of(gzip(bytes), SIZE_MAX, ImportBudget(150'000)).error, "");
  EXPECT_EQ(content_of(zstd(bytes), SIZE_MAX, ImportBudget(1'000'000)).error,
            "has a zstd window too large to import (--max-memory SIZE sets another limit)");
  EXPECT_EQ(content_of(gzip(bytes), SIZE_MAX, ImportBudget(200'000)).error, "");
  EXPECT_EQ(content_of(zstd(bytes), SIZE_MAX, ImportBudget(8'000'000)).error, "");
}

TEST(ByteStream, FinishLooksBehindWhatWasRead) {
  const std::string stored = gzip(text(1000));
  std::string wrong_sum = stored;
  wrong_sum[wrong_sum.size() - 8] ^= 1;
  for (const auto& [bytes, is_good] : {std::pair(stored, true), std::pair(wrong_sum, false),
                                       std::pair(stored.substr(0, stored.size() - 1), false)}) {
    ImportBudget budget;
    auto in = open_stream(memory_source(view(bytes)), budget);
    ASSERT_TRUE(in);
    Bytes out(990);
    in->read(out);
    EXPECT_FALSE(in->failed());
    EXPECT_EQ(in->finish().has_value(), is_good);
  }
}

class OpenedFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string folder_ = testing::TempDir() + "laptime_byte_stream_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OpenedFiles, APlainRegularFileHasAPath) {
  ImportBudget budget;
  const std::string plain = folder_ + "/plain", packed = folder_ + "/packed";
  write(plain, "abc");
  write(packed, gzip("abc"));
  EXPECT_EQ(open_stream(plain, budget)->path(), plain);
  EXPECT_EQ(open_stream(packed, budget)->path(), "");
  EXPECT_TRUE(open_stream(packed, budget)->is_compressed());
  EXPECT_EQ(open_stream(folder_, budget).error().message, folder_ + " is not a regular file");
}

TEST_F(OpenedFiles, AFifoIsRead) {
  const std::string fifo = folder_ + "/fifo", bytes = text(200'000);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::jthread writer([&] { write(fifo, gzip(bytes)); });
  ImportBudget budget;
  auto in = open_stream(fifo, budget);
  ASSERT_TRUE(in);
  EXPECT_EQ(in->path(), "");
  Bytes out(bytes.size());
  in->read(out);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin()));
  EXPECT_TRUE(in->finish());
}

}  // namespace
}  // namespace laptime
