// A benchmark's report: figures with their bars, checks of its own results, and the machine. It is
// a table on stdout and a file, bench/results/NAME.json. A missed bar is shown and does not fail
// the run. A failed check does.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/machine.h"

namespace bench {

enum class Bound { at_most, at_least };

class Report {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}

  void figure(std::string what, double value, std::string unit, double bar, Bound bound) {
    const bool met = bound == Bound::at_most ? value <= bar : value >= bar;
    rows_.push_back({std::move(what), value, std::move(unit),
                     fmt::format("{} {:g}", bound == Bound::at_most ? "<=" : ">=", bar),
                     met ? "met" : "MISSED"});
  }
  void note(std::string what, double value, std::string unit) {
    rows_.push_back({std::move(what), value, std::move(unit), "", ""});
  }
  void check(bool good, const std::string& claim) {
    if (good) return;
    fmt::print(stderr, "{}: not so: {}\n", name_, claim);
    ok_ = false;
  }

  // Prints and writes the report. Returns the exit code.
  int finish() const {
    fmt::print("{}: {}\n", name_, machine_description());
    for (const Row& r : rows_)
      fmt::print("  {:<44} {:>12.3f} {:<16} {:<10} {}\n", r.what, r.value, r.unit, r.bar,
                 r.verdict);
    write_json();
    return ok_ ? 0 : 1;
  }

 private:
  struct Row {
    std::string what;
    double value;
    std::string unit, bar, verdict;
  };

  void write_json() const {
    const char* folder = std::getenv("LAPTIME_BENCH_RESULTS");
    const std::filesystem::path results = folder ? folder : "bench/results";
    std::filesystem::create_directories(results);
    std::ofstream out(results / (name_ + ".json"));
    out << fmt::format(
        "{{\"benchmark\": \"{}\", \"machine\": \"{}\", \"checks\": \"{}\", \"figures\": [", name_,
        machine_description(), ok_ ? "passed" : "failed");
    const char* separator = "";
    for (const Row& r : rows_) {
      out << fmt::format(
          "{}\n  {{\"what\": \"{}\", \"value\": {}, \"unit\": \"{}\", \"bar\": \"{}\", "
          "\"verdict\": \"{}\"}}",
          separator, r.what, r.value, r.unit, r.bar, r.verdict);
      separator = ",";
    }
    out << "\n]}\n";
  }

  std::string name_;
  std::vector<Row> rows_;
  bool ok_ = true;
};

}  // namespace bench
