// What recording costs: a scope against two bare clock reads, a scope while recording is off, two
// threads against one, bytes a span, and a long recording under a memory limit. Each figure is a
// ratio or a size from this one run. Every recording is read back and counted.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "bench/report.h"
#include "format/reader.h"
#include "laptime/laptime.hpp"

namespace {

using laptime::RunContent;
using laptime::ticks;

constexpr int kRounds = 9;

const std::string& scratch() {
  static const std::string folder = [] {
    std::string path = (std::filesystem::temp_directory_path() / "laptime-bench-XXXXXX").string();
    if (!mkdtemp(path.data())) std::abort();
    return path;
  }();
  return folder;
}

double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// Nanoseconds a call of `body`, called `count` times in a row.
template <typename Body>
double time_each(int count, Body body) {
  const double start = now_ns();
  for (int i = 0; i < count; ++i) body();
  return (now_ns() - start) / count;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void one_scope() { LAPTIME_SCOPE("forward"); }

struct Counted {
  std::uint64_t spans = 0, lost = 0, bytes = 0;
};

Counted read_back(const std::string& path) {
  auto run = laptime::open_run(path);
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().message.c_str());
    std::exit(1);
  }
  Counted counted;
  counted.bytes = run->file_bytes;
  for (const auto& part : run->parts)
    for (const auto& block : part.blocks)
      if (block.summary.table == laptime::TableType::spans) counted.spans += block.summary.rows;
  for (const auto& warning : run->warnings)
    if (warning.name == "buffer_full") counted.lost += warning.count;
  return counted;
}

void start(const std::string& path, std::uint64_t limit) {
  const laptime_options options{sizeof options, limit};
  if (laptime_start(path.c_str(), &options) != 0) std::exit(1);
}

// In bursts, as a program records them. bench_threads measures longer ones, which the encoder
// cannot keep up with.
void bench_scope(bench::Report& report) {
  const std::string path = scratch() + "/scope.lap";
  constexpr int kCount = 20'000, kBursts = 60;
  volatile std::uint64_t sink = 0;
  std::vector<double> off, clocks, scopes, ratios;
  for (int round = 0; round < kRounds; ++round) off.push_back(time_each(kCount * 50, one_scope));
  const double branch = median([&] {
    std::vector<double> v;
    volatile int flag = 0;
    for (int round = 0; round < kRounds; ++round)
      v.push_back(time_each(kCount * 50, [&] {
        if (flag) sink = sink + 1;
      }));
    return v;
  }());
  start(path, 256u << 20);
  time_each(kCount, one_scope);
  std::uint64_t calls = kCount;
  for (int burst = 0; burst < kBursts; ++burst) {
    usleep(5000);
    clocks.push_back(time_each(kCount, [&] {
      sink = ticks();
      sink = ticks();
    }));
    scopes.push_back(time_each(kCount, one_scope));
    ratios.push_back(scopes.back() / clocks.back());
    calls += kCount;
  }
  laptime_stop();
  const Counted counted = read_back(path);
  report.check(counted.spans + counted.lost == calls,
               "scopes recorded and lost add up to the calls made");
  report.note("two bare clock reads", median(clocks), "ns");
  report.note("a scope, begin and end", median(scopes), "ns");
  report.figure("scope against two clock reads", median(ratios), "x", 1.5, bench::Bound::at_most);
  report.note("a predicted branch in a loop", branch, "ns");
  report.figure("scope when not recording", median(off), "ns", 1.5, bench::Bound::at_most);
}

// Workers that record bursts on request. So a burst of one and a burst of two are measured in one
// recording, on the same warm slots, in turns. A waiting thread sleeps: on two cores a third thread
// that spins would use its share of one.
class Workers {
 public:
  explicit Workers(int count) {  // at most two
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Workers() {
    burst(0);
    for (auto& t : threads_) t.join();
  }
  // The first `active` threads record kBurst scopes each, at once. Returns nanoseconds from the
  // first begin to the last end.
  double burst(int active) {
    done_ = ready_ = 0;
    active_ = active;
    round_.fetch_add(1);
    round_.notify_all();
    for (int done = 0; (done = done_.load()) < active;) done_.wait(done);
    double begin = times_[0].begin, end = times_[0].end;
    for (int i = 1; i < active; ++i) {
      begin = std::min(begin, times_[i].begin);
      end = std::max(end, times_[i].end);
    }
    return end - begin;
  }
  static constexpr int kBurst = 100'000;

 private:
  void work(int index) {
    for (int seen = 0;;) {
      round_.wait(seen);
      seen = round_.load();
      const int active = active_;
      if (active == 0) return;
      if (index >= active) continue;
      ready_.fetch_add(1);
      while (ready_.load() < active) {  // until all are awake, which takes a moment
      }
      times_[index].begin = now_ns();
      time_each(kBurst, one_scope);
      times_[index].end = now_ns();
      if (done_.fetch_add(1) + 1 == active) done_.notify_all();
    }
  }
  struct alignas(64) Times {
    double begin = 0, end = 0;
  };
  std::vector<std::thread> threads_;
  std::array<Times, 2> times_;
  std::atomic<int> round_{0}, ready_{0}, done_{0}, active_{0};
};

void bench_threads(bench::Report& report) {
  constexpr int kPairs = 40, kWarm = 6;
  const std::string path = scratch() + "/threads.lap";
  start(path, 512u << 20);
  std::vector<double> one, ratios;
  {
    Workers workers(2);
    for (int i = 0; i < kPairs + kWarm; ++i) {
      const double alone = workers.burst(1);
      usleep(20'000);
      const double together = workers.burst(2);
      usleep(20'000);
      if (i < kWarm) continue;
      one.push_back(Workers::kBurst / alone * 1e3);
      ratios.push_back(2 * alone / together);
    }
  }
  laptime_stop();
  const Counted counted = read_back(path);
  report.check(counted.spans == 3ull * (kPairs + kWarm) * Workers::kBurst && counted.lost == 0,
               "every record of every thread is read back");
  report.note("one thread, flat out", median(one), "million spans/s");
  report.figure("two threads against one", median(ratios), "x", 1.8, bench::Bound::at_least);
}

constexpr char kLongRecording[] = "--long-recording";
constexpr std::uint64_t kSpans = 100'000'000;

void record_long(const char* path) {
  start(path, 256ull << 20);
  std::vector<std::thread> workers;
  for (int t = 0; t < 2; ++t) workers.emplace_back([] { time_each(kSpans / 2, one_scope); });
  for (auto& w : workers) w.join();
  laptime_stop();
}

// A process of its own, so that its peak memory is its own: 100 million spans, from two threads,
// under 256 MB.
void bench_long_recording(bench::Report& report) {
  const std::string path = scratch() + "/long.lap";
  const double begin = now_ns();
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "record_bench", kLongRecording, path.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const Counted counted = read_back(path);
  report.check(status == 0 && counted.spans + counted.lost == kSpans,
               "100 million spans are in the file or counted as lost");
  report.note("100 million spans: time", (now_ns() - begin) / 1e9, "s");
  report.note("100 million spans: recorded", static_cast<double>(counted.spans) / 1e6, "million");
  report.note("100 million spans: lost, counted", static_cast<double>(counted.lost) / 1e6,
              "million");
  report.figure("100 million spans: peak memory", static_cast<double>(usage.ru_maxrss) / 1024,
                "MiB", 256, bench::Bound::at_most);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == kLongRecording) {
    record_long(argv[2]);
    return 0;
  }
  bench::Report report("record");
  bench_scope(report);
  bench_threads(report);
  bench_long_recording(report);
  std::filesystem::remove_all(scratch());
  return report.finish();
}
