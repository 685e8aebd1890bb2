// The recorder as a program uses it, through the public interface, read back through the format's reader.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "format/reader.h"
#include "laptime/laptime.hpp"
#include "record/collector.h"

namespace laptime {
namespace {

namespace fs = std::filesystem;

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    std::string pattern = (fs::temp_directory_path() / "laptime-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/run.lap";
  }
  ~RecorderTest() override { fs::remove_all(folder_); }

  // Runs `body` in a child process and returns its wait status.
  template <typename Body>
  int in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::string folder_, path_;
};

struct Counted {
  std::size_t spans = 0, steps = 0, values = 0, tallies = 0, parts = 0, tracks = 0;
  std::vector<std::string> names;
  std::uint64_t lost = 0;
};

Counted count(const std::string& path) {
  auto run = open_run(path);
  EXPECT_TRUE(run) << run.error().message;
  Counted c;
  if (!run) return c;
  c.parts = run->parts.size();
  for (const PartContent& part : run->parts) {
    for (const Fact& fact : part.facts) {
      if (const auto* s = std::get_if<StringFact>(&fact)) c.names.emplace_back(s->text);
      c.tracks += std::holds_alternative<TrackFact>(fact);
    }
    for (const Block& block : part.blocks) {
      SpanColumns spans;
      if (block.summary.table == TableType::values) c.values += block.summary.rows;
      if (block.summary.table == TableType::tallies) c.tallies += block.summary.rows;
      if (block.summary.table != TableType::spans) continue;
      EXPECT_TRUE(decode_block(block, spans));
      for (std::size_t i = 0; i < spans.size(); ++i) {
        c.steps += spans.kind[i] == SpanKind::step;
        c.spans += spans.kind[i] == SpanKind::scope;
        EXPECT_GE(spans.duration[i], 0);
      }
    }
  }
  for (const LossCount& loss : run->losses)
    if (loss.name == "buffer_full") c.lost = loss.count;
  return c;
}

void scopes(int n) {
  for (int i = 0; i < n; ++i) {
    LAPTIME_SCOPE("work");
  }
}

TEST_F(RecorderTest, ScopesStepsAndValuesAreAllThere) {
  scopes(10);  // not recording: nothing
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  for (int i = 0; i < 50; ++i) {
    scopes(200);
    {
      const NamedScope named("epoch " + std::to_string(i % 5));
    }
    value("loss", 1.0 / (i + 1));
    step(64);
  }
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_FALSE(fs::exists(path_ + ".d"));
  const Counted c = count(path_);
  EXPECT_EQ(c.spans, 50u * 201u);
  EXPECT_EQ(c.steps, 50u);
  EXPECT_EQ(c.values, 50u);
  EXPECT_NE(std::find(c.names.begin(), c.names.end(), "epoch 4"), c.names.end());
}

TEST_F(RecorderTest, RecordsAgainAfterStopping) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
    scopes(3000);
    ASSERT_EQ(laptime_stop(), 0);
    EXPECT_EQ(count(path_).spans, 3000u);
  }
}

TEST_F(RecorderTest, StartingTwiceIsAnError) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  EXPECT_EQ(laptime_start((path_ + "2").c_str(), nullptr), -1);
  EXPECT_STREQ(laptime_error(), "recording is already on");
  laptime_stop();
}

TEST_F(RecorderTest, TenThousandShortThreads) {
  // A slot each, so that the count does not hang on when the encoder gets its turn on a busy machine.
  const laptime_options options{sizeof options, 1u << 30};
  ASSERT_EQ(laptime_start(path_.c_str(), &options), 0);
  constexpr int kThreads = 10'000;
  for (int i = 0; i < kThreads; i += 10) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 10; ++t) threads.emplace_back([] { scopes(3); });
    for (auto& thread : threads) thread.join();
  }
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans + c.lost, 3u * kThreads);
  EXPECT_EQ(c.lost, 0u);
  EXPECT_EQ(c.tracks, static_cast<std::size_t>(kThreads));
}

TEST_F(RecorderTest, ThreadsRecordWhileRecordingStartsAndStops) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!done) {
        scopes(50);
        step(1);
      }
    });
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
    usleep(2000);
    ASSERT_EQ(laptime_stop(), 0);
    count(path_);
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST_F(RecorderTest, PastTheMemoryLimitRecordsAreDroppedAndCounted) {
  const laptime_options options{sizeof options, 4u << 20};
  ASSERT_EQ(laptime_start(path_.c_str(), &options), 0);
  constexpr int kRecords = 3'000'000;
  scopes(kRecords);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.spans + c.lost, static_cast<std::size_t>(kRecords));
  EXPECT_GT(c.spans, 0u);
}

TEST_F(RecorderTest, AForkedChildHasAPartOfItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support new threads in a child forked from a process with threads";
#endif
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(100);
  EXPECT_EQ(in_child([] { scopes(5000); laptime_stop(); }), 0);
  EXPECT_EQ(in_child([] { scopes(70); }), 0);   // leaves with _exit, unfinished
  EXPECT_EQ(in_child([] {}), 0);                // records nothing, leaves no part
  scopes(100);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted c = count(path_);
  EXPECT_EQ(c.parts, 3u);
  EXPECT_EQ(c.spans, 100u + 5000u + 70u + 100u);
}

TEST_F(RecorderTest, ExitAbortAndSignalsLoseNothing) {
  const auto record = [&](int n) {
    laptime_start(path_.c_str(), nullptr);
    scopes(n);
  };
  in_child([&] { record(12'345); });
  EXPECT_EQ(count(path_).spans, 12'345u);  // by the file's name, although only its folder exists
  in_child([&] { record(777); std::signal(SIGABRT, SIG_DFL); abort(); });
  EXPECT_EQ(count(path_ + ".d").spans, 777u);
  in_child([&] { record(50'000); raise(SIGKILL); });
  EXPECT_EQ(count(path_ + ".d").spans, 50'000u);
}

TEST_F(RecorderTest, KilledAtRandomMomentsEveryAcknowledgedRecordIsReadBack) {
  struct Shared {
    std::atomic<std::uint64_t> acknowledged[2];
  };
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) Shared();
  std::mt19937 random(42);
  for (int round = 0; round < 20; ++round) {
    shared->acknowledged[0] = shared->acknowledged[1] = 0;
    const pid_t child = fork();
    if (child == 0) {
      const laptime_options options{sizeof options, 64u << 20};
      laptime_start(path_.c_str(), &options);
      const auto work = [&](int who) {
        for (;;) {
          scopes(1);
          shared->acknowledged[who].fetch_add(1, std::memory_order_release);
          // Slow enough for the encoder, so that nothing is dropped and the counts must match.
          if (shared->acknowledged[who].load() % 1000 == 0) usleep(300);
        }
      };
      std::thread other(work, 1);
      work(0);
    }
    usleep(static_cast<useconds_t>(5'000 + random() % 60'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::uint64_t acknowledged = shared->acknowledged[0] + shared->acknowledged[1];
    if (acknowledged == 0) continue;  // killed before it had begun
    const Counted c = count(path_ + ".d");
    EXPECT_GE(c.spans + c.lost, acknowledged);
    EXPECT_LE(c.spans, acknowledged + 2);
    EXPECT_EQ(c.lost, 0u);
  }
  munmap(memory, sizeof(Shared));
}

TEST_F(RecorderTest, AFullDiskStopsRecordingAndNothingElse) {
  // A limit on file size stands in for a full disk: the log grows into it while the program runs.
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4u << 20, 4u << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const laptime_options options{sizeof options, 4u << 20};
    if (laptime_start(path_.c_str(), &options) != 0) _exit(1);
    // However slowly the encoder gets its turn, the log meets the limit long before a minute is over.
    for (int i = 0; i < 60'000 && laptime_is_recording(); ++i) {
      scopes(2000);
      usleep(1000);
    }
    if (laptime_is_recording()) _exit(2);
    scopes(1000);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GT(count(path_ + ".d").spans, 100'000u);
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenIsOneErrorAndTheProgramGoesOn) {
  EXPECT_EQ(laptime_start("/proc/no/such/place.lap", nullptr), -1);
  EXPECT_NE(std::string(laptime_error()).find("cannot create"), std::string::npos);
  scopes(10);
}

TEST_F(RecorderTest, TalliesLinksAndArgumentsOfCollectors) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const std::uint32_t loss = record::loss_index("test_loss", Severity::info, "only a test");
  record::lose(loss, 7);
  for (std::uint32_t i = 0; i < 5000; ++i) record::put_tally({TallyKind::line, code, 11, i, 1, 100, 50, 0, 0});
  const std::uint16_t stream = record::add_track(TrackKind::stream, 7, "stream 7");
  const record::Arg args[] = {{record::intern("bytes"), ArgType::integer, 4096}};
  for (int i = 0; i < 100; ++i) record::put_span({100, 200, record::intern("kernel"), SpanKind::kernel, stream, record::new_link()}, args, 1);
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(count(path_).tallies, 5000u);
  const auto run = open_run(path_);
  bool found = false;
  for (const LossCount& l : run->losses) found |= l.name == "test_loss" && l.count == 7;
  EXPECT_TRUE(found);
  for (const Block& block : run->parts[0].blocks) {
    if (block.summary.track != stream) continue;
    EXPECT_EQ(block.summary.rows, 100u);
    EXPECT_EQ(block.summary.args, 100u);
    EXPECT_TRUE(block.summary.has_links);
  }
}

TEST_F(RecorderTest, TalliesOfAnotherThreadAreOnItsTrackWhetherItRecordsOrNot) {
  EXPECT_EQ(record::track_of_thread(1, "nobody"), 0u);
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  scopes(1);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const auto put = [&](std::uint32_t track) { record::put_tally({TallyKind::line, code, 11, 0, 1, 100, 50, 0, 0, track}); };
  std::promise<std::uint64_t> id;
  std::promise<void> asked;
  std::thread other([&] {
    id.set_value(static_cast<std::uint64_t>(syscall(SYS_gettid)));
    asked.get_future().wait();
    scopes(3);
  });
  const std::uint64_t other_id = id.get_future().get();
  const std::uint32_t others = record::track_of_thread(other_id, "loader");
  const std::uint32_t silent = record::track_of_thread(1, "silent");
  put(others);
  put(silent);
  put(0);
  asked.set_value();
  other.join();
  ASSERT_EQ(laptime_stop(), 0);

  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  std::map<std::uint32_t, std::pair<int, int>> rows;  // by track: spans, tallies
  for (const Block& block : run->parts[0].blocks) {
    auto& [spans, tallies] = rows[block.summary.track];
    (block.summary.table == TableType::spans ? spans : tallies) += static_cast<int>(block.summary.rows);
  }
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[others], std::pair(3, 1));
  EXPECT_EQ(rows[silent], std::pair(0, 1));
}

SpanColumns spans_of(const RunContent& run) {
  SpanColumns spans;
  for (const Block& block : run.parts[0].blocks) {
    if (block.summary.table != TableType::spans) continue;
    EXPECT_TRUE(decode_block(block, spans));
  }
  return spans;
}

TEST_F(RecorderTest, OpsAndMemoryAreOneUnitAndReadAsSpansWithArguments) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint32_t code = record::add_code("train.py", "main", 10, 0);
  const std::uint32_t place = record::add_place(code, 12, record::intern("net.conv1"));
  EXPECT_EQ(record::add_place(code, 12, record::intern("net.conv1")), place);
  EXPECT_NE(record::add_place(code, 13, 0), place);
  const std::uint64_t now = laptime_now();
  record::put_op({now, now + 100, OpLink::pack(0, 1, 7), record::intern("aten::inner"), SpanKind::op});
  const record::Arg shapes{record::intern("shapes"), ArgType::string, record::intern("[[2]]")};
  record::put_op({now, now + 200, OpLink::pack(place, 1, 7), record::intern("aten::outer"), SpanKind::op}, &shapes, 1);
  record::put_memory(SpanKind::allocate, 0xABC0, 4096, record::intern("cpu"));
  ASSERT_EQ(laptime_stop(), 0);

  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  const SpanColumns spans = spans_of(*run);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans.link[0], OpLink::kAutograd | 1ull << 32 | 8);
  EXPECT_EQ(spans.link[1], spans.link[0]);
  EXPECT_EQ(spans.link[2], 0xABC0u);
  EXPECT_EQ(spans.kind[2], SpanKind::allocate);
  EXPECT_EQ(spans.duration[2], 0);
  EXPECT_EQ(spans.args.row, (std::vector<std::uint32_t>{1, 1, 2}));
  EXPECT_EQ(spans.args.type, (std::vector<ArgType>{ArgType::place, ArgType::string, ArgType::integer}));
  EXPECT_EQ(spans.args.value[0], place);
  EXPECT_EQ(spans.args.value[2], 4096u);
}

TEST_F(RecorderTest, ArgumentsThatOpsShareAreWrittenOutForEach) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const record::Arg args[] = {{record::intern("shapes"), ArgType::string, record::intern("[[2]]")}, {record::intern("flops"), ArgType::integer, 1ull << 40}};
  const std::uint16_t shared = record::add_args(args, 2);
  EXPECT_NE(shared, 0);
  EXPECT_EQ(record::add_args(args, 2), shared);
  EXPECT_NE(record::add_args(args, 1), shared);
  const std::uint64_t now = laptime_now();
  for (int i = 0; i < 3; ++i) record::put_op({now, now + 100, OpLink::pack(0, 1, i), record::intern("aten::mm"), SpanKind::op, shared});
  const auto check = [&](const std::string& path) {
    const auto run = open_run(path);
    ASSERT_TRUE(run);
    const SpanColumns spans = spans_of(*run);
    EXPECT_EQ(spans.args.row, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2})) << path;
    EXPECT_EQ(spans.args.value[1], 1ull << 40);
    EXPECT_EQ(spans.args.type[0], ArgType::string);
  };
  check(path_ + ".d");  // as after a kill
  ASSERT_EQ(laptime_stop(), 0);
  check(path_);
  // A later recording, and a number from before it.
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  for (int i = 0; i < 3; ++i) record::put_op({now, now + 100, OpLink::pack(0, 1, i), record::intern("aten::mm"), SpanKind::op, shared});
  ASSERT_EQ(laptime_stop(), 0);
  check(path_);
}

TEST_F(RecorderTest, AnOpWhoseArgumentsNobodyToldIsLeftOut) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  const std::uint64_t now = laptime_now();
  record::put_op({now, now + 100, 0, record::intern("aten::mm"), SpanKind::op, 60'000});
  ASSERT_EQ(laptime_stop(), 0);
  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run).size(), 0u);
}

TEST_F(RecorderTest, AStepBeginsWhereItIsTold) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  usleep(20'000);
  const std::uint64_t before = ticks();
  record::begin_step();
  const std::uint64_t wall = record::mark_step({.samples = 8});
  EXPECT_GT(wall, 0u);
  EXPECT_LE(wall, ticks() - before);
  EXPECT_LE(record::mark_step({}), ticks() - before);
  ASSERT_EQ(laptime_stop(), 0);
  EXPECT_EQ(record::mark_step({}), 0u);
  EXPECT_EQ(count(path_).steps, 2u);
}

}  // namespace
}  // namespace laptime
