// What the tables of memory cost. A loaded run has ten million instants of a training program: ops
// on two threads allocate, and releases follow. Each table is checked against the input.
#include <algorithm>
#include <chrono>
#include <random>

#include "bench/report.h"
#include "tables/memory/memory.h"
#include "tables/memory/memory_curve.h"
#include "tables/memory/memory_growth.h"
#include "tables/memory/memory_steps.h"
#include "trace/testing/op_runs.h"

namespace {

using namespace laptime;

constexpr std::size_t kMarks = 10'000'000;
constexpr std::size_t kMarksAStep = 2000;
constexpr double kBarSeconds = 2;

struct Made {
  OpRun ops;
  std::uint64_t peak_bytes = 0;
};

// Each op allocates one block. Its release comes between one and some hundreds of ops later,
// sometimes on the other thread.
void make_run(Made& made) {
  std::mt19937_64 random(1);
  const std::uint32_t threads[] = {0, made.ops.add_thread()};
  std::vector<std::uint32_t> call_sites;
  for (std::uint32_t line = 10; line < 60; ++line)
    call_sites.push_back(made.ops.call_site(line, "encoder"));
  struct Alive {
    std::uint64_t address, bytes;
  };
  std::vector<Alive> alive;
  std::uint64_t live_bytes = 0, next_address = 0x1000;
  std::vector<std::uint64_t> free;
  std::int64_t now = 0, step_start = 0;
  const auto mark = [&](SpanKind kind, const Alive& block) {
    const std::uint32_t track =
        kind == SpanKind::release && random() % 8 == 0 ? threads[1] : threads[0];
    made.ops.add(track, {now, 0, "cpu", kind, block.address});
    made.ops.set_bytes(track, kind == SpanKind::allocate ? block.bytes : 0);
  };
  for (std::size_t i = 0; i < kMarks; ++i) {
    now += 100;
    if (alive.size() < 300 + random() % 200) {
      if (free.empty()) free.push_back(next_address += 64);
      alive.push_back({free.back(), 64 * (1 + random() % 10'000)});
      free.pop_back();
      live_bytes += alive.back().bytes;
      made.peak_bytes = std::max(made.peak_bytes, live_bytes);
      mark(SpanKind::allocate, alive.back());
      made.ops.add(threads[0], {now - 20, 40, "aten::mm", SpanKind::op, 0,
                                call_sites[random() % call_sites.size()]});
    } else {
      std::swap(alive[random() % alive.size()], alive.back());
      mark(SpanKind::release, alive.back());
      live_bytes -= alive.back().bytes;
      free.push_back(alive.back().address);
      alive.pop_back();
    }
    if (i % kMarksAStep != kMarksAStep - 1) continue;
    now += 50;
    made.ops.add_step(threads[0], step_start, now - step_start);
    step_start = now;
  }
}

std::uint64_t sum_of(const Table& table, std::string_view column) {
  std::uint64_t sum = 0;
  for (const Row& row : table.rows)
    sum += static_cast<std::uint64_t>(std::get<std::int64_t>(row[*find_column(table, column)]));
  return sum;
}

template <typename Make>
Table measure(bench::Report& report, const char* name, const Analysis& analysis, Make make) {
  const auto began = std::chrono::steady_clock::now();
  Table table = make(analysis);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.figure(std::string(name) + ", 10 million marks", seconds, "s", kBarSeconds,
                bench::Bound::at_most);
  return table;
}

}  // namespace

int main() {
  bench::Report report("memory_tables_bench");
  Made made;
  make_run(made);
  const Analysis analysis(made.ops.run);
  const Table memory = measure(report, "memory", analysis, memory_table<MemoryGrouping::line>);
  report.check(sum_of(memory, "bytes") == made.peak_bytes, "the rows of memory add up to the peak");
  const Table curve = measure(report, "memory_curve", analysis, memory_curve_table);
  std::int64_t highest = 0;
  for (const Row& row : curve.rows)
    highest = std::max(highest, std::get<std::int64_t>(row[*find_column(curve, "bytes")]));
  report.check(highest == static_cast<std::int64_t>(made.peak_bytes),
               "the curve's highest point is the peak");
  const Table steps = measure(report, "memory_steps", analysis, memory_steps_table);
  report.check(sum_of(steps, "allocations") + sum_of(steps, "releases") == kMarks,
               "every mark is in a step");
  measure(report, "memory_growth", analysis, memory_growth_table);
  return report.finish();
}
