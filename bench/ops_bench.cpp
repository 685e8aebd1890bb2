// What the tables about ops cost: `ops`, and all tables together, over a run of ten million spans
// in memory. The run is a model of a small network trained by torch: nested ops with lines and
// autograd links, backward on another thread, one optimizer step and one wait for input a step.
// Activations live until their backward, gradients until the next step, temporaries until their op
// ends. One block a step is never released. The tables are checked against the model.
//
// The bar for `ops` is torch's own: key_averages() takes about 44 µs an event. Ours must be 500
// times faster.
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "advise/advice.h"
#include "bench/report.h"
#include "tables/run/tables.h"
#include "trace/ops/attribution.h"
#include "trace/testing/op_runs.h"

namespace {

using namespace laptime;

constexpr std::size_t kSpans = 10'000'000;
constexpr std::uint32_t kLayers = 12;
constexpr std::uint64_t kBlockBytes = 4096;
constexpr double kTorchNsPerEvent = 44'000, kTimesFaster = 500;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Trainer {
 public:
  Trainer() : engine_(run_.add_thread()) {
    for (std::uint32_t layer = 0; layer < kLayers; ++layer)
      call_sites_.push_back(run_.call_site(10 + layer, fmt::format("layers.{}", layer)));
    step_call_ = run_.call_site(51);
    leak_ = run_.call_site(52);
    run_.run.processes[0].properties = {{"python", "3.11"},
                                        {"cpus", 8},
                                        {"loader 1 workers", 0},
                                        {"loader 1 dataset", "TensorDataset"},
                                        {"loader 1 batch", 64},
                                        {"optimizer 1 class", "SGD"},
                                        {"optimizer 1 way", "single"},
                                        {"optimizer 1 may_fuse", 1},
                                        {"optimizer 1 device", "cpu"}};
  }

  void step() {
    const std::int64_t begin = now_;
    release(0, gradients_);
    leaf(0, "input", 200'000, SpanKind::loader);
    const std::uint64_t first = link_;
    for (std::uint32_t layer = 0; layer < kLayers; ++layer) forward(layer);
    (void)op(0, "aten::clone", 1'000, 0, leak_);
    for (std::uint32_t layer = kLayers; layer-- > 0;) backward(layer, first);
    const std::int64_t optimizer = now_;
    for (const char* name : {"aten::_foreach_add_", "aten::_foreach_mul_"})
      release(0, op(0, name, 40'000, 0, step_call_));
    run_.add(0, {optimizer, now_ - optimizer, "Optimizer.step#SGD.step", SpanKind::optimizer});
    run_.add_step(0, begin, now_ - begin, 1);
  }
  std::size_t spans() const { return run_.run.span_count(); }
  const Run& run() const { return run_.run; }
  std::uint64_t ops() const { return ops_; }
  std::uint64_t op_ns() const { return op_ns_; }

 private:
  void leaf(std::uint32_t track, std::string_view name, std::int64_t ns, SpanKind kind) {
    run_.add(track, {now_, ns, name, kind});
    now_ += ns + 50;
  }
  std::uint64_t allocate(std::uint32_t track, std::int64_t time) {
    if (free_.empty()) free_.push_back(next_address_ += 4096);
    const std::uint64_t block = free_.back();
    free_.pop_back();
    mark(track, time, SpanKind::allocate, block);
    return block;
  }
  void release(std::uint32_t track, std::uint64_t block) {
    mark(track, now_, SpanKind::release, block);
    free_.push_back(block);
    now_ += 20;
  }
  void release(std::uint32_t track, std::vector<std::uint64_t>& blocks) {
    for (; !blocks.empty(); blocks.pop_back()) release(track, blocks.back());
  }
  void mark(std::uint32_t track, std::int64_t time, SpanKind kind, std::uint64_t block) {
    run_.add(track, {time, 0, "cpu", kind, block});
    run_.set_bytes(track, kBlockBytes);
  }
  // An op with an allocation and two ops inside it. Returns the block that it allocates.
  std::uint64_t op(std::uint32_t track, std::string_view name, std::int64_t ns, std::uint64_t link,
                   std::uint32_t call_site) {
    const std::int64_t start = now_;
    const std::uint64_t block = allocate(track, start + 90);
    run_.add(track, {start + 50, ns / 4, "aten::empty", SpanKind::op});
    run_.add(track, {start + 200 + ns / 4, ns / 2, "aten::addmm", SpanKind::op, link});
    run_.add(track, {start, ns, name, SpanKind::op, link, call_site});
    now_ = start + ns + 200;
    ops_ += 3;
    op_ns_ += static_cast<std::uint64_t>(ns);
    return block;
  }
  void forward(std::uint32_t layer) {
    for (const char* name : {"aten::linear", "aten::relu", "aten::layer_norm"})
      activations_.push_back(op(0, name, 6'000, ++link_, call_sites_[layer]));
  }
  void backward(std::uint32_t layer, std::uint64_t first) {
    for (std::uint32_t i = 3; i > 0; --i) {
      const std::uint64_t passed_on =
          node("AddmmBackward0", "autograd::engine::evaluate_function: AddmmBackward0",
               first + layer * 3 + i);
      release(engine_, activations_.back());
      activations_.pop_back();
      gradients_.push_back(
          node("torch::autograd::AccumulateGrad",
               "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 0));
      release(engine_, passed_on);
    }
  }
  std::uint64_t node(std::string_view name, std::string_view evaluate, std::uint64_t link) {
    const std::int64_t start = now_;
    now_ += 200;
    const std::uint64_t block = op(engine_, "aten::mm", 3'000, 0, 0);
    op_ns_ -= 3'000;
    run_.add(engine_, {start + 100, now_ - start - 100, name, SpanKind::backward, link});
    now_ += 100;
    run_.add(engine_, {start, now_ - start, evaluate, SpanKind::backward});
    op_ns_ += static_cast<std::uint64_t>(now_ - start);
    ops_ += 2;
    now_ += 50;
    return block;
  }

  OpRun run_;
  std::uint32_t engine_;
  std::vector<std::uint32_t> call_sites_;
  std::uint32_t step_call_ = 0, leak_ = 0;
  std::vector<std::uint64_t> free_, activations_, gradients_;
  std::uint64_t next_address_ = 0x7000'0000;
  std::uint64_t link_ = OpLink::kAutograd, ops_ = 0, op_ns_ = 0;
  std::int64_t now_ = 0;
};

std::int64_t sum_column(const Table& table, std::string_view column) {
  const std::size_t at = *find_column(table, column);
  std::int64_t sum = 0;
  for (const Row& row : table.rows)
    if (const auto* number = std::get_if<std::int64_t>(&row[at])) sum += *number;
  return sum;
}

double time_of(const char* name, const Analysis& analysis, Table& table) {
  const double begin = seconds();
  table = (*find_table(name))->make(analysis);
  return seconds() - begin;
}

// The time of all tables, and of all tables with advice.
struct AllTimes {
  double tables = 1e9, with_advice = 1e9;
};
AllTimes time_of_all(const Run& run) {
  std::vector<MakeTable> makers;
  for (const TableDefinition* definition : all_tables()) makers.push_back(definition->make);
  AllTimes best;
  for (int round = 0; round < 3; ++round) {
    const double begin = seconds();
    const Analysis analysis(run);
    (void)make_tables(analysis, makers);
    best.tables = std::min(best.tables, seconds() - begin);
    (void)advice_table(analysis);
    best.with_advice = std::min(best.with_advice, seconds() - begin);
  }
  return best;
}

}  // namespace

int main() {
  Trainer trainer;
  std::size_t steps = 0;
  for (; trainer.spans() < kSpans; ++steps) trainer.step();
  const Run& run = trainer.run();
  const auto events = static_cast<double>(trainer.ops() + steps);

  bench::Report report("ops");
  Table table;
  double best = 1e9;
  for (int round = 0; round < 3; ++round)
    best = std::min(best, time_of("ops", Analysis(run), table));
  report.check(sum_column(table, "calls") == static_cast<std::int64_t>(trainer.ops() + steps),
               "ops counts every op, node and optimizer step");
  report.figure("ops, an event", best * 1e9 / events, "ns", kTorchNsPerEvent / kTimesFaster,
                bench::Bound::at_most);
  report.note("ops, against torch's 44 µs an event", kTorchNsPerEvent / (best * 1e9 / events),
              "times faster");

  const Analysis analysis(run);
  std::map<std::string, double> times;
  for (const TableDefinition* definition : all_tables())
    times[definition->name] = time_of(definition->name, analysis, table);
  (void)time_of("lines", analysis, table);
  report.check(sum_column(table, "op_ns") + sum_column(table, "backward_ns") ==
                   static_cast<std::int64_t>(trainer.op_ns()),
               "lines has all time in ops");
  (void)time_of("memory_growth", analysis, table);
  report.check(sum_column(table, "bytes") == static_cast<std::int64_t>(steps * kBlockBytes),
               "memory_growth finds what is never released");
  std::size_t replayed = 0;
  for (const Advice& advice : advise(analysis)) replayed += advice.finding.changes.has_value();
  report.check(replayed >= 2, "advice about the dataset and the optimizer is replayed");
  const AllTimes all = time_of_all(run);
  report.figure("all tables of 10 million spans", all.tables, "s", 3, bench::Bound::at_most);
  report.figure("all tables and advice, replays included", all.with_advice, "s", 3,
                bench::Bound::at_most);
  for (const auto& [name, s] : times)
    report.note(name + ", with what it is the first to need", s * 1e3, "ms");
  report.note("spans", static_cast<double>(trainer.spans()) / 1e6, "million");
  return report.finish();
}
