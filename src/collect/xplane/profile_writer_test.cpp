#include "collect/xplane/profile_writer.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <future>
#include <map>
#include <string>
#include <thread>

#include "base/clock.h"
#include "collect/xplane/line_thread.h"
#include "record/collector.h"
#include "record/testing/recording.h"
#include "xplane/testing/xspace.h"

namespace laptime {
namespace {

using xplane::TestPlane;
using xplane::xspace;

constexpr std::int64_t kStart = 1'795'000'000'000'000'000;  // of the session

std::uint64_t own_id() { return static_cast<std::uint64_t>(syscall(SYS_gettid)); }
std::uint64_t hash_of(std::thread::id id) { return std::hash<std::thread::id>()(id); }
ByteView view_of(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

class ProfileWriterTest : public RecorderTest {
 protected:
  struct Recorded {
    std::string name;
    SpanKind kind;
    std::int64_t ns;  // its length
    std::uint32_t track;
    std::uint64_t args;
    bool operator==(const Recorded&) const = default;
  };

  void SetUp() override { ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0); }
  void TearDown() override { laptime_stop(); }

  // A session of a millisecond that ends now. Its clock runs like the recorder's.
  std::uint64_t put(const std::string& space, ProfileSpans::Filter filter = {}) {
    ProfileWriter writer(resolve_, filter);
    const ClockPoint now = read_clock_point();
    const std::uint64_t ticks = now.ticks - 3'000'000;
    return writer.put(view_of(space), {ticks, kStart}, {now.ticks, kStart + 1'000'000});
  }
  std::vector<Recorded> recorded() {
    EXPECT_EQ(laptime_stop(), 0);
    std::vector<Recorded> found;
    const auto run = open_run(path_);
    EXPECT_TRUE(run);
    std::map<std::uint32_t, std::string> texts;
    for (const Fact& fact : run->parts[0].facts)
      if (const auto* text = std::get_if<StringFact>(&fact)) texts[text->id] = text->text;
    for (const Block& block : run->parts[0].blocks) {
      SpanColumns rows;
      if (block.summary.table != TableType::spans || !decode_block(block, rows)) continue;
      std::map<std::uint32_t, std::uint64_t> args;
      for (const std::uint32_t row : rows.args.row) ++args[row];
      for (std::uint32_t i = 0; i < rows.size(); ++i)
        found.push_back(
            {texts[rows.name[i]], rows.kind[i], rows.duration[i], block.summary.track, args[i]});
    }
    for (const WarningCount& warning : run->warnings) warnings_[warning.name] = warning.count;
    return found;
  }
  ProfileWriter::Resolve resolve_ = [this](std::string_view function,
                                           const std::vector<std::string_view>& ops) {
    for (const std::string_view op : ops) asked_[std::string(function)].emplace_back(op);
    return std::vector<ProfileWriter::Origin>(ops.size(), {.call_site = 0, .is_backward = true});
  };
  std::map<std::string, std::vector<std::string>> asked_;
  std::map<std::string, std::uint64_t> warnings_;
};

std::string with_start(const std::string& plane) {
  return xspace(
      {plane, TestPlane("Task Environment").stat({"profile_start_time", kStart}).bytes()});
}

TEST_F(ProfileWriterTest, OpsBelongToTheFunctionWhoseRunHasTheirNumber) {
  EXPECT_EQ(
      put(with_start(TestPlane("/host:CPU")
                         .line(1, "tf_Compute/1",
                               {{"ExecutorState::Process", 0, 9'000'000, {{"id", 5}}},
                                {"a:Mul", 1'000'000, 1'000'000, {}, "Mul"},
                                {"ExecutorState::Process", 20'000'000, 9'000'000, {{"id", 6}}},
                                {"a:Mul", 21'000'000, 1'000'000, {}, "Mul"},
                                {"a:Mul", 50'000'000, 1'000'000, {}, "Mul"}})
                         .line(2, "python",
                               {{"EagerLocalExecute: __inference_step_7", 0, 90'000'000},
                                {"FunctionRun", 1'000, 80'000'000, {{"id", 5}}}})
                         .bytes())),
      4u);
  EXPECT_EQ(asked_, (std::map<std::string, std::vector<std::string>>{
                        {"", {"a"}}, {"__inference_step_7", {"a"}}}));
}

TEST_F(ProfileWriterTest, SpansAreOnTheTrackOfTheirThread) {
  laptime::scopes(1);
  const std::uint32_t own = record::track_of_thread(own_id(), "");
  std::promise<std::uint64_t> id;
  std::promise<void> done;
  std::thread other([&] {
    id.set_value(own_id());
    done.get_future().wait();
  });
  const std::uint64_t others = id.get_future().get();
  EXPECT_EQ(put(with_start(TestPlane("/host:CPU")
                               .line(static_cast<std::int64_t>(hash_of(std::this_thread::get_id())),
                                     "python", {{"EagerLocalExecute: MatMul", 0, 1'000'000}})
                               .line(static_cast<std::int64_t>(hash_of(other.get_id())), "pool/1",
                                     {{"fusion.2", 0, 1'000'000, {{"hlo_op", 0, "fusion.2"}}}})
                               .bytes())),
            2u);
  const std::uint32_t other_track = record::track_of_thread(others, "");
  done.set_value();
  other.join();
  std::map<std::string, std::uint32_t> tracks;
  for (const Recorded& span : recorded()) tracks[span.name] = span.track;
  EXPECT_EQ(tracks["MatMul"], own);
  EXPECT_EQ(tracks["fusion"], other_track);
  EXPECT_NE(own, other_track);
}

TEST_F(ProfileWriterTest, SpansAreClippedToTheSession) {
  EXPECT_EQ(put(with_start(TestPlane("/host:CPU")
                               .line(1, "t",
                                     {{"a:Mul", 500'000'000, 900'000'000, {}, "Mul"},
                                      {"b:Mul", 2'000'000'000, 1'000, {}, "Mul"}})
                               .bytes())),
            1u);
  EXPECT_EQ(asked_[""], (std::vector<std::string>{"a", "b"}));
  const auto spans = recorded();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].kind, SpanKind::backward);
}

TEST_F(ProfileWriterTest, LinesThatCountFrom1970HaveTheSameTimes) {
  EXPECT_EQ(put(xspace({TestPlane("/host:CPU")
                            .line(1, "t", {{"a:Mul", 0, 1'000'000, {}, "Mul"}}, kStart + 1'000)
                            .line(2, "t", {{"b:Mul", 0, 1'000'000, {}, "Mul"}}, kStart - 10'000)
                            .bytes()})),
            1u);
}

TEST_F(ProfileWriterTest, LeavesOutWhatIsRecordedByOtherMeans) {
  const std::string space =
      with_start(TestPlane("/host:CPU")
                     .line(1, "python",
                           {{"train", 0, 90'000'000, {{"step_num", 1}}},
                            {"$train.py:1 main", 0, 80'000'000},
                            {"EagerLocalExecute: __inference_f_1", 0, 70'000'000},
                            {"IteratorGetNextOp::DoCompute", 1'000'000, 1'000'000},
                            {"EagerLocalExecute: IteratorGetNext", 2'000'000, 900'000},
                            {"KernelAndDeviceFunc::Run", 3'000'000, 1'000'000},
                            {"my range", 5'000'000, 1'000'000},
                            {"Iterator::Root::Map", 7'000'000, 1'000'000, {{"id", 3}}}})
                     .bytes());
  EXPECT_EQ(put(space), 5u);
  EXPECT_EQ(put(space, {.input_hooked = true, .dispatch_hooked = true}), 2u);
}

TEST_F(ProfileWriterTest, OpsWithoutAFullNameGetTheOriginOfTheirCall) {
  const std::string space =
      with_start(TestPlane("/host:CPU")
                     .line(static_cast<std::int64_t>(own_id()), "t",
                           {{"EagerLocalExecute: MatMul", 100'000'000, 1'000'000},
                            {"a:Mul", 200'000'000, 1'000'000, {}, "Mul"},
                            {"EagerLocalExecute: Relu", 300'000'000, 1'000'000}})
                     .bytes());
  resolve_ = [](std::string_view, const std::vector<std::string_view>& ops) {
    return std::vector<ProfileWriter::Origin>(ops.size());
  };
  const ClockPoint now = read_clock_point();
  const std::uint64_t from = now.ticks - 3'000'000;
  OpCalls calls;  // three ticks a nanosecond
  calls.add({from + 270'000, from + 330'000, static_cast<std::uint32_t>(own_id()), {7, true}});
  calls.add({from + 570'000, from + 700'000, static_cast<std::uint32_t>(own_id()), {8, true}});
  ProfileWriter writer(resolve_, {});
  EXPECT_EQ(
      writer.put(view_of(space), {from, kStart}, {now.ticks, kStart + 1'000'000}, calls.take()),
      3u);
  std::map<std::string, SpanKind> kinds;
  for (const Recorded& span : recorded()) kinds[span.name] = span.kind;
  EXPECT_EQ(kinds["MatMul"], SpanKind::backward);
  EXPECT_EQ(kinds["Mul"], SpanKind::op);
  EXPECT_EQ(kinds["Relu"], SpanKind::op);
}

TEST_F(ProfileWriterTest, OfDamagedBytesTheRestIsRecorded) {
  const std::string whole = with_start(
      TestPlane("/host:CPU")
          .line(1, "t", {{"a:Mul", 1'000'000, 1'000'000, {}, "Mul"}, {"b:Mul", 0, 1, {}, "Mul"}})
          .bytes());
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int value : {0, 7, 0x7f, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(value);
      put(damaged);
      put(whole.substr(0, i));
    }
  recorded();
  EXPECT_GT(warnings_["xplane_damaged"], whole.size() / 2);
}

TEST_F(ProfileWriterTest, NothingIsRecordedOutsideARecording) {
  laptime_stop();
  EXPECT_EQ(put(with_start(TestPlane("/host:CPU").line(1, "t", {{"a:M", 0, 9, {}, "M"}}).bytes())),
            0u);
  EXPECT_TRUE(asked_.empty());
}

TEST(LineThread, UnknownIdsStayAsTheyAre) {
  EXPECT_EQ(thread_of_line(0), 0u);
  EXPECT_EQ(thread_of_line(12345678901234567), 12345678901234567u);
  EXPECT_EQ(thread_of_line(own_id()), own_id());
}

TEST(LineThread, AHashIsInverted) {
  EXPECT_EQ(thread_of_line(hash_of(std::this_thread::get_id())), own_id());
}

}  // namespace
}  // namespace laptime
