// What reading costs: loads a sealed run of ten million spans and makes the table `scopes`. The
// figures are spans a second, and the memory of the decoded columns. The format's own writer makes
// the run from a model of a training program. The table is checked against the model's call counts
// and sums. Each measurement is a process of its own, so that its peak memory is its own.
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/os/file_sink.h"
#include "bench/report.h"
#include "format/writer.h"
#include "tables/run/scopes.h"
#include "trace/run/run.h"

namespace {

using namespace laptime;

constexpr std::size_t kSpans = 10'000'000;
constexpr int kRounds = 5;
constexpr std::uint32_t kLayers = 48;

// Writes spans of one thread as a program records them: in the order of their ends, so children
// come before parents.
class ThreadModel {
 public:
  ThreadModel(LapWriter& writer, std::uint32_t track, std::uint64_t seed)
      : writer_(writer), track_(track), random_(seed) {}

  template <typename Body>
  void scope(std::uint32_t name, Body body, SpanKind kind = SpanKind::scope) {
    const std::int64_t start = now_;
    now_ += 40 + static_cast<std::int64_t>(random_() % 30);
    body();
    now_ += 40 + static_cast<std::int64_t>(random_() % 30);
    put(start, name, kind);
  }
  void leaf(std::uint32_t name, double typical_ns) {
    const std::int64_t start = now_;
    now_ += static_cast<std::int64_t>(typical_ns * jitter_(random_));
    put(start, name, SpanKind::scope);
    now_ += 60 + static_cast<std::int64_t>(random_() % 100);
  }
  Status flush() {
    RETURN_IF_ERROR(writer_.add_rows(0, track_, columns_));
    columns_ = {};
    return {};
  }
  std::size_t written() const { return written_; }
  std::size_t steps() const { return steps_; }
  std::uint64_t total_ns() const { return total_ns_; }

 private:
  void put(std::int64_t start, std::uint32_t name, SpanKind kind) {
    columns_.start.push_back(start);
    columns_.duration.push_back(now_ - start);
    columns_.name.push_back(name);
    columns_.kind.push_back(kind);
    ++written_;
    if (kind == SpanKind::step)
      ++steps_;
    else
      total_ns_ += static_cast<std::uint64_t>(now_ - start);
    if (columns_.size() == kMaxBlockRows && !flush()) std::abort();
  }

  LapWriter& writer_;
  std::uint32_t track_;
  std::mt19937_64 random_;
  std::lognormal_distribution<double> jitter_{0.0, 0.35};
  SpanColumns columns_;
  std::int64_t now_ = 0;
  std::size_t written_ = 0, steps_ = 0;
  std::uint64_t total_ns_ = 0;
};

// Names: 1 step, 2 load, 3 forward, 4 backward, 5 optimizer, then three for each layer.
std::uint32_t layer_name(std::uint32_t layer, std::uint32_t which) { return 6 + layer * 3 + which; }

void train_step(ThreadModel& thread) {
  thread.scope(
      1,
      [&] {
        thread.leaf(2, 120'000);
        for (const std::uint32_t pass : {3u, 4u})
          thread.scope(pass, [&] {
            for (std::uint32_t layer = 0; layer < kLayers; ++layer)
              thread.scope(layer_name(layer, 0), [&] {
                thread.leaf(layer_name(layer, 1), 9'000 * pass);
                thread.leaf(layer_name(layer, 2), 1'500);
              });
          });
        thread.leaf(5, 250'000);
      },
      SpanKind::step);
}

Status add_facts(LapWriter& writer) {
  std::vector<std::string> names{"", "step", "load batch", "forward", "backward", "optimizer"};
  for (std::uint32_t layer = 0; layer < kLayers; ++layer)
    for (const char* what : {"block", "matmul", "layer_norm"})
      names.push_back(fmt::format("encoder.layers.{}.{}", layer, what));
  std::vector<Fact> facts{ClockFact{0, 1'000'000'000, 1'700'000'000'000'000'000},
                          ClockFact{60'000'000'000, 61'000'003'000, 1'700'000'060'000'000'000}};
  for (std::uint32_t i = 1; i < names.size(); ++i) facts.push_back(StringFact{i, names[i]});
  facts.push_back(PropertyFact{"pid", 4711});
  return writer.add_facts(0, facts);
}

struct Made {
  std::size_t spans, steps;
  std::uint64_t total_ns;
};

Result<Made> make_run(const std::string& path) {
  ASSIGN_OR_RETURN(FileSink sink, FileSink::create(path));
  ASSIGN_OR_RETURN(LapWriter writer, LapWriter::create(sink));
  writer.add_part();
  RETURN_IF_ERROR(add_facts(writer));
  ThreadModel trainer(writer, 65536, 1), loader(writer, 65537, 2);
  while (trainer.written() + loader.written() < kSpans) {
    train_step(trainer);
    for (int i = 0; i < 64; ++i) loader.leaf(2, 30'000);
  }
  RETURN_IF_ERROR(trainer.flush());
  RETURN_IF_ERROR(loader.flush());
  RETURN_IF_ERROR(writer.finish());
  RETURN_IF_ERROR(sink.commit());
  return Made{trainer.written() + loader.written(), trainer.steps(),
              trainer.total_ns() + loader.total_ns()};
}

struct Measured {
  double load_s = 0, scopes_s = 0;
  double peak_bytes = 0, column_bytes = 0;
  std::size_t spans = 0, calls = 0;
  std::uint64_t total_ns = 0;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  return 0;
}

// Runs in a process of its own and prints what main reads back.
int measure(const char* path) {
  const double begin = seconds();
  const auto run = load_run(path);
  if (!run) return fmt::print(stderr, "{}\n", run.error().message), 1;
  const double loaded = seconds();
  const Table table = scopes_table(Analysis(*run));
  const double answered = seconds();
  std::int64_t calls = 0, total = 0;
  for (const Row& row : table.rows) {
    calls += std::get<std::int64_t>(row[2]);
    total += std::get<std::int64_t>(row[3]);
  }
  fmt::print("{} {} {} {} {} {} {}\n", loaded - begin, answered - loaded, peak_memory(),
             run->column_bytes(), run->span_count(), calls, total);
  return 0;
}

Measured measure_in_child(const std::string& path) {
  Measured m;
  const std::string command = fmt::format(
      "'{}' --measure '{}'", std::filesystem::read_symlink("/proc/self/exe").string(), path);
  FILE* pipe = ::popen(command.c_str(), "r");
  const int fields =
      pipe ? std::fscanf(pipe, "%lf %lf %lf %lf %zu %zu %lu", &m.load_s, &m.scopes_s, &m.peak_bytes,
                         &m.column_bytes, &m.spans, &m.calls, &m.total_ns)
           : 0;
  if (!pipe || ::pclose(pipe) != 0 || fields != 7) std::exit(1);
  return m;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--measure") return measure(argv[2]);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("laptime-read-bench-{}.lap", ::getpid());
  const auto made = make_run(path.string());
  if (!made) return fmt::print(stderr, "{}\n", made.error().message), 1;
  const double file_bytes = static_cast<double>(std::filesystem::file_size(path));

  bench::Report report("read");
  std::vector<double> rates, loads, answers, peaks;
  Measured m;
  for (int round = 0; round < kRounds; ++round) {
    m = measure_in_child(path.string());
    const auto spans = static_cast<double>(m.spans);
    rates.push_back(spans / (m.load_s + m.scopes_s) / 1e6);
    loads.push_back(m.load_s * 1e3);
    answers.push_back(m.scopes_s * 1e3);
    peaks.push_back(m.peak_bytes / m.column_bytes);
    report.check(m.spans == made->spans, "every span is read back");
    report.check(m.calls == made->spans - made->steps, "scopes counts every span but the steps");
    const double off = std::abs(static_cast<double>(m.total_ns) /
                                    static_cast<double>(made->total_ns) / (60.000003 / 60) -
                                1);
    report.check(off < 1e-4, "the durations' sum is what was written, on the corrected clock");
  }
  std::filesystem::remove(path);
  report.figure("load + scopes over 10 million spans", median(rates), "million spans/s", 20,
                bench::Bound::at_least);
  report.figure("peak memory against the decoded columns", median(peaks), "times", 2,
                bench::Bound::at_most);
  report.figure("bytes per span in the sealed file", file_bytes / static_cast<double>(made->spans),
                "bytes", 8, bench::Bound::at_most);
  report.note("spans", static_cast<double>(made->spans) / 1e6, "million");
  report.note("load", median(loads), "ms");
  report.note("scopes", median(answers), "ms");
  report.note("decoded columns", m.column_bytes / 1e6, "MB");
  return report.finish();
}
