#include "tables/gpu/copies.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/code/line_columns.h"
#include "tables/ops/agreement.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct CopySums {
  SpanKind kind = SpanKind::copy;
  CopyInfo copy;
  std::uint64_t calls = 0, bytes = 0;
  std::int64_t total_ns = 0, wait_ns = 0;
  bool waits = false, wait_known = false;
  Agreed<std::int64_t> device;
};

// A copy without a recorded direction has only its name.
std::string kind_text(SpanKind kind, const CopyInfo& copy, std::string_view name) {
  if (kind == SpanKind::fill && copy.target != MemoryKind::unknown) return "Memset";
  return std::string(copy.direction != CopyDirection::unknown ? name_of(copy.direction) : name);
}

std::optional<std::string> memory_text(SpanKind kind, const CopyInfo& copy) {
  if (copy.source == MemoryKind::unknown && copy.target == MemoryKind::unknown) return std::nullopt;
  const std::string target(name_of(copy.target));
  return kind == SpanKind::fill ? target : std::string(name_of(copy.source)) + " -> " + target;
}

struct CopyRow {
  const Run& run;
  const LineIds& lines;
  std::string_view name;
  std::uint32_t line, op;
  const CopySums& sums;
};

constexpr ColumnOf<CopyRow> kCopyColumns[] = {
    {"kind", "The direction.", [](auto& r) { return kind_text(r.sums.kind, r.sums.copy, r.name); }},
    {"memory", "From which memory to which.",
     [](auto& r) { return memory_text(r.sums.kind, r.sums.copy); }},
    {"file", "The file of the line that copies.", [](auto& r) { return file_at(r.lines, r.line); }},
    {"line", "The line that copies.", [](auto& r) { return line_at(r.lines, r.line); }},
    {"calls", Unit::count, "How many copies.", [](auto& r) { return r.sums.calls; }},
    {"bytes", Unit::bytes, "How much they moved.", [](auto& r) { return r.sums.bytes; }},
    {"total_ns", Unit::ns, "How long they took on the GPU.",
     [](auto& r) { return r.sums.total_ns; }},
    {"gb_per_s", "Gigabytes moved per second.",
     [](auto& r) { return ratio(r.sums.bytes, r.sums.total_ns); }},
    {"wait_ns", Unit::ns, "How long the host waited in the calls that block.",
     [](auto& r) { return known_if(r.sums.wait_known, r.sums.wait_ns); }},
    {"blocking", "`yes` if the host waits in the call.",
     [](auto& r) { return r.sums.waits ? "yes" : "no"; }},
    {"op", "The op that copies.", [](auto& r) { return string_at(r.run, r.op); }},
    {"device", "The GPU, if all the row's copies are of one.",
     [](auto& r) { return known_if(r.sums.device.value_or(-1) >= 0, r.sums.device.value_or(-1)); },
     Prominence::detail}};
constexpr TableOf<CopyRow> kCopies{"copies", kCopyColumns};

constexpr Grouping kCopyGroupings[] = {{"line", copies_table<CopyGrouping::line>},
                                       {"device", copies_table<CopyGrouping::device>}};

}  // namespace

template <CopyGrouping grouping>
Table copies_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  const LineIds& lines = analysis.lines();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, CopySums>
      all;  // name, line, op, group
  for (const GpuWork& work : analysis.gpu().all()) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    if (spans.kind[work.row] != SpanKind::copy && spans.kind[work.row] != SpanKind::fill) continue;
    const std::uint32_t device = device_of(run.tracks[work.track]);
    CopySums& sums = all[{spans.name[work.row], lines[work.call_site], work.op,
                          grouping == CopyGrouping::device ? device : 0}];
    sums.kind = spans.kind[work.row];
    sums.copy = work.copy;
    ++sums.calls;
    sums.device.add(device);
    sums.bytes += work.bytes;
    sums.total_ns += spans.duration[work.row];
    if (!work.waits) continue;
    sums.waits = true;
    if (!work.launch) continue;
    sums.wait_known = true;
    sums.wait_ns += work.launch->end_ns - work.launch->start_ns;
  }
  Table table = kCopies.empty("Copies" + from_recorded(analysis.run(), analysis.steps()));
  if (grouping == CopyGrouping::device) show_prominently(table, "device");
  for (const auto& [key, sums] : all) {
    const auto& [name, line, op, group] = key;
    kCopies.add(table, {run, lines, run.strings[name], line, op, sums});
  }
  (void)sort_by(table, "total_ns");
  return table;
}
template Table copies_table<CopyGrouping::line>(const Analysis&);
template Table copies_table<CopyGrouping::device>(const Analysis&);

constinit const TableDefinition kCopiesTable =
    define_table<kCopies>("what was moved to, from and on the GPUs",
                          R"(
The host waits in the call for copies from or to pageable memory, and where the program asks for
it. A CUDA graph's launch waits for none of its copies. `--by device` makes a row for each GPU.)",
                          copies_table<CopyGrouping::line>, kCopyGroupings);

}  // namespace laptime
