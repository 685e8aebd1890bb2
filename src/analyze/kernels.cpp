#include "analyze/kernels.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

#include "analyze/device_facts.h"
#include "analyze/gpu_work.h"
#include "analyze/kernel_effort.h"
#include "analyze/kernel_math.h"
#include "analyze/kernel_names.h"
#include "analyze/line_ids.h"
#include "analyze/occupancy.h"
#include "analyze/recorded_part.h"
#include "analyze/steps.h"

namespace laptime {

namespace {

// Work whose amount is known, and what the device could have done in its time.
struct Achieved {
  double amount = 0, ns = 0, possible = 0;
  bool knows_peak = true;  // of all calls

  void add(std::uint64_t done, std::int64_t took_ns, std::uint64_t peak_per_s) {
    knows_peak &= peak_per_s > 0;
    amount += static_cast<double>(done);
    ns += static_cast<double>(took_ns);
    possible += static_cast<double>(took_ns) * 1e-9 * static_cast<double>(peak_per_s);
  }
};

struct KernelSums {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  std::uint32_t configuration = 0;  // common to all calls, while it is
  bool one_configuration = true;
  double occupancy = 0;
  std::uint64_t with_occupancy = 0;
  std::uint32_t place = 0;
  std::optional<bool> tensor_cores;  // where all calls agree
  Achieved flops, bytes;
};

const char* pass_name(OpPass pass) {
  switch (pass) {
    case OpPass::none: return "";
    case OpPass::forward: return "forward";
    case OpPass::backward: return "backward";
    case OpPass::optimizer: return "optimizer";
  }
  return "";
}

class KernelTable {
 public:
  explicit KernelTable(const Analysis& analysis) : run_(analysis.run()), lines_(analysis.lines()) {
    const std::vector<GpuWork>& all = analysis.gpu().all();
    const std::vector<KernelEffort> efforts = find_kernel_efforts(run_, analysis.ops(), analysis.gpu());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const SpanKind kind = run_.tracks[all[i].track].spans.kind[all[i].row];
      if (kind == SpanKind::kernel || kind == SpanKind::communication) add(all[i], efforts.empty() ? KernelEffort{} : efforts[i]);
    }
  }

  void fill(Table& table) {
    double all_ns = 0;
    for (const auto& [key, sums] : sums_) all_ns += static_cast<double>(sums.total_ns);
    for (const auto& [key, sums] : sums_) table.rows.push_back(row(key, sums, all_ns));
    std::stable_sort(table.rows.begin(), table.rows.end(), [](const Row& a, const Row& b) { return std::get<std::int64_t>(a[5]) > std::get<std::int64_t>(b[5]); });
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, OpPass>;  // short name, op, line id, pass

  struct NamedKernel {
    std::string name;
    KernelMath math;
  };
  const NamedKernel& kernel_named(std::uint32_t id) {
    const auto [it, is_new] = names_.try_emplace(id);
    if (is_new) it->second = {short_kernel_name(run_.strings[id]), math_of_kernel(run_.strings[id])};
    return it->second;
  }

  void add(const GpuWork& work, const KernelEffort& effort) {
    const Track& track = run_.tracks[work.track];
    const auto& [name, math] = kernel_named(track.spans.name[work.row]);
    const Key key{name, work.op, lines_[work.place], work.pass};
    KernelSums& sums = sums_[key];
    const std::int64_t ns = track.spans.duration[work.row];
    if (sums.calls++ == 0) sums.configuration = work.own;
    sums.one_configuration &= sums.configuration == work.own;
    sums.total_ns += ns;
    sums.min_ns = std::min(sums.min_ns, ns);
    sums.max_ns = std::max(sums.max_ns, ns);
    sums.place = work.place;
    if (const auto share = occupancy_of(work, track)) {
      sums.occupancy += *share;
      ++sums.with_occupancy;
    }
    if (effort.flops) sums.flops.add(*effort.flops, ns, math.precision ? peaks_of(track).flops_per_s(*math.precision) : 0);
    if (effort.bytes) sums.bytes.add(*effort.bytes, ns, peaks_of(track).bytes_per_s);
    if (sums.calls == 1) sums.tensor_cores = math.tensor_cores;
    if (sums.tensor_cores != math.tensor_cores) sums.tensor_cores.reset();
  }

  std::optional<double> occupancy_of(const GpuWork& work, const Track& track) {
    const auto [it, is_new] = occupancies_.try_emplace({track.process, device_of(track), work.own});
    if (!is_new) return it->second;
    const auto limits = device_limits(run_.processes[track.process].properties, device_of(track));
    const auto launch = parse_configuration(run_.strings[work.own]);
    if (limits && launch) it->second = occupancy(*launch, *limits);
    return it->second;
  }

  const DevicePeaks& peaks_of(const Track& track) {
    const auto [it, is_new] = peaks_.try_emplace({track.process, device_of(track)});
    if (is_new) it->second = device_peaks(run_.processes[track.process].properties, device_of(track));
    return it->second;
  }
  // Products are what a kernel that makes them is for; all others move data.
  static Cell peak_share(const KernelSums& sums) {
    const Achieved& measured = sums.flops.ns > 0 ? sums.flops : sums.bytes;
    return measured.knows_peak ? ratio_cell(measured.amount, measured.possible) : kUnknown;
  }

  Row row(const Key& key, const KernelSums& sums, double all_ns) {
    const auto& [name, op, line, pass] = key;
    const auto launch = sums.one_configuration ? parse_configuration(run_.strings[sums.configuration]) : std::nullopt;
    const auto size = [](const std::array<std::uint32_t, 3>& n) { return fmt::format("{}x{}x{}", n[0], n[1], n[2]); };
    const std::uint32_t module = run_.places[sums.place].module;
    return {name,
            op ? Cell(std::string(run_.strings[op])) : kUnknown,
            lines_.file_cell(line),
            lines_.line_cell(line),
            integer_cell(sums.calls),
            sums.total_ns,
            ratio_cell(static_cast<double>(sums.total_ns), static_cast<double>(sums.calls)),
            sums.min_ns,
            sums.max_ns,
            launch ? Cell(size(launch->grid)) : kUnknown,
            launch ? Cell(size(launch->block)) : kUnknown,
            launch ? integer_cell(launch->registers) : kUnknown,
            launch ? integer_cell(launch->shared()) : kUnknown,
            ratio_cell(sums.occupancy, static_cast<double>(sums.with_occupancy)),
            sums.tensor_cores ? Cell(*sums.tensor_cores ? "yes" : "no") : kUnknown,
            pass == OpPass::none ? kUnknown : Cell(pass_name(pass)),
            module ? Cell(std::string(run_.strings[module])) : kUnknown,
            ratio_cell(static_cast<double>(sums.total_ns), all_ns),
            ratio_cell(sums.flops.amount * 1e-3, sums.flops.ns),
            ratio_cell(sums.bytes.amount, sums.bytes.ns),
            peak_share(sums)};
  }

  const Run& run_;
  const LineIds& lines_;
  std::map<Key, KernelSums> sums_;
  std::map<std::uint32_t, NamedKernel> names_;  // by Run::strings
  std::map<std::pair<std::uint32_t, std::uint32_t>, DevicePeaks> peaks_;  // process, device
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::optional<double>> occupancies_;  // process, device, configuration
};

}  // namespace

Table kernels_table(const Analysis& analysis) {
  Table table{"kernels",
              "Kernels" + from_recorded(analysis),
              {{"name", ColumnType::text, Unit::none, Prominence::prominent},
               {"op", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"calls", ColumnType::integer, Unit::count},
               {"total_ns", ColumnType::integer, Unit::ns},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"min_ns", ColumnType::integer, Unit::ns, Prominence::detail},
               {"max_ns", ColumnType::integer, Unit::ns, Prominence::detail},
               {"grid", ColumnType::text, Unit::none, Prominence::detail},
               {"block", ColumnType::text, Unit::none, Prominence::detail},
               {"registers", ColumnType::integer, Unit::none, Prominence::detail},
               {"shared_bytes", ColumnType::integer, Unit::bytes, Prominence::detail},
               {"occupancy", ColumnType::real, Unit::share},
               {"tensor_cores", ColumnType::text},
               {"pass", ColumnType::text},
               {"module", ColumnType::text},
               {"share", ColumnType::real, Unit::share},
               {"tflop_per_s", ColumnType::real},
               {"gb_per_s", ColumnType::real},
               {"peak_share", ColumnType::real, Unit::share}},
              {}};
  KernelTable(analysis).fill(table);
  return table;
}

}  // namespace laptime
