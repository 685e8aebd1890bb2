#include "tables/gpu/kernels.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "tables/code/line_cells.h"
#include "tables/ops/agreed.h"
#include "tables/ops/around_all.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/device_facts.h"
#include "trace/gpu/gpu_work.h"
#include "trace/gpu/kernel_effort.h"
#include "trace/gpu/kernel_math.h"
#include "trace/gpu/kernel_names.h"
#include "trace/gpu/occupancy.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

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
  Agreed<std::uint32_t> launch_config;
  double occupancy = 0;
  std::uint64_t with_occupancy = 0;
  AroundAll module;
  Agreed<std::optional<bool>> tensor_cores;
  Agreed<std::int64_t> device;
  Agreed<std::uint32_t> region;
  Achieved flops, bytes;
};

constexpr std::string_view kCompiledRegion = "Torch-Compiled Region";

// The compiled region that a launch lies in (Run::strings); 0: none.
std::uint32_t region_around(const Run& run, const OpAttribution& ops, const Launch& launch) {
  const SpanColumns& spans = run.tracks[launch.track].spans;
  for (std::uint32_t row = launch.op_row; row != kNoRow;
       row = ops.tracks[launch.track].tree.parent[row])
    if (spans.kind[row] == SpanKind::annotation &&
        run.strings[spans.name[row]].starts_with(kCompiledRegion))
      return spans.name[row];
  return 0;
}

const char* pass_name(OpPass pass) {
  switch (pass) {
    case OpPass::none:
      return "";
    case OpPass::forward:
      return "forward";
    case OpPass::backward:
      return "backward";
    case OpPass::optimizer:
      return "optimizer";
  }
  return "";
}

class KernelTable {
 public:
  KernelTable(const Analysis& analysis, KernelGrouping grouping)
      : run_(analysis.run()), ops_(analysis.ops()), lines_(analysis.lines()), grouping_(grouping) {
    const std::vector<GpuWork>& all = analysis.gpu().all();
    const std::vector<KernelEffort> efforts =
        find_kernel_efforts(run_, analysis.ops(), analysis.gpu());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const SpanKind kind = run_.tracks[all[i].track].spans.kind[all[i].row];
      if (kind == SpanKind::kernel || kind == SpanKind::communication)
        add(all[i], efforts.empty() ? KernelEffort{} : efforts[i]);
    }
  }

  void fill(Table& table) {
    double all_ns = 0;
    for (const auto& [key, sums] : sums_) all_ns += static_cast<double>(sums.total_ns);
    for (const auto& [key, sums] : sums_) table.rows.push_back(row(key, sums, all_ns));
    std::stable_sort(table.rows.begin(), table.rows.end(), [](const Row& a, const Row& b) {
      return std::get<std::int64_t>(a[5]) > std::get<std::int64_t>(b[5]);
    });
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, OpPass,
                         std::uint32_t>;  // short name, op, line id, pass, group

  struct NamedKernel {
    std::string name;
    KernelMath math;
  };
  const NamedKernel& kernel_named(std::uint32_t id) {
    const auto [it, is_new] = names_.try_emplace(id);
    if (is_new)
      it->second = {short_kernel_name(run_.strings[id]), math_of_kernel(run_.strings[id])};
    return it->second;
  }

  void add(const GpuWork& work, const KernelEffort& effort) {
    const Track& track = run_.tracks[work.track];
    const auto& [name, math] = kernel_named(track.spans.name[work.row]);
    const std::uint32_t line = lines_[work.place];
    KernelSums& sums = sums_[{name, work.op, line, work.pass, group_of(work)}];
    const std::int64_t ns = track.spans.duration[work.row];
    ++sums.calls;
    sums.launch_config.add(work.launch_config);
    sums.tensor_cores.add(math.tensor_cores);
    sums.device.add(device_of(track));
    sums.module.add(run_.strings[run_.places[work.place].module]);
    if (const std::uint32_t region = work.launch ? region_around(run_, ops_, *work.launch) : 0) {
      sums.region.add(region);
      regions_[line].add(region);
    }
    sums.total_ns += ns;
    sums.min_ns = std::min(sums.min_ns, ns);
    sums.max_ns = std::max(sums.max_ns, ns);
    if (const auto share = occupancy_of(work, track)) {
      sums.occupancy += *share;
      ++sums.with_occupancy;
    }
    if (effort.flops)
      sums.flops.add(*effort.flops, ns,
                     math.precision ? peaks_of(track).flops_per_s(*math.precision) : 0);
    if (effort.bytes) sums.bytes.add(*effort.bytes, ns, peaks_of(track).bytes_per_s);
  }

  std::uint32_t group_of(const GpuWork& work) const {
    switch (grouping_) {
      case KernelGrouping::line:
        return 0;
      case KernelGrouping::device:
        return device_of(run_.tracks[work.track]);
      case KernelGrouping::module:
        return run_.places[work.place].module;
    }
    return 0;
  }
  // A compiled region's backward pass runs outside of it, and belongs to its lines.
  std::uint32_t region_of(const KernelSums& sums, std::uint32_t line, OpPass pass) const {
    const auto of_line = regions_.find(line);
    const bool asks_line = pass == OpPass::backward && line != 0 && of_line != regions_.end();
    return sums.region.value_or(asks_line ? of_line->second.value_or(0) : 0);
  }

  std::optional<double> occupancy_of(const GpuWork& work, const Track& track) {
    const auto [it, is_new] =
        occupancies_.try_emplace({track.process, device_of(track), work.launch_config});
    if (!is_new) return it->second;
    const auto limits = device_limits(run_.processes[track.process].properties, device_of(track));
    const LaunchConfig* const launch = run_.launch_configs.find(work.launch_config);
    if (limits && launch) it->second = occupancy(*launch, *limits);
    return it->second;
  }

  const DevicePeaks& peaks_of(const Track& track) {
    const auto [it, is_new] = peaks_.try_emplace({track.process, device_of(track)});
    if (is_new)
      it->second = device_peaks(run_.processes[track.process].properties, device_of(track));
    return it->second;
  }
  // Products are what a kernel that makes them is for; all others move data.
  static Cell peak_share(const KernelSums& sums) {
    const Achieved& measured = sums.flops.ns > 0 ? sums.flops : sums.bytes;
    return measured.knows_peak ? ratio_cell(measured.amount, measured.possible) : kUnknown;
  }

  Row row(const Key& key, const KernelSums& sums, double all_ns) {
    const auto& [name, op, line, pass, group] = key;
    const LaunchConfig* const launch = run_.launch_configs.find(sums.launch_config.value_or(0));
    const auto size = [](const std::array<std::uint32_t, 3>& n) {
      return fmt::format("{}x{}x{}", n[0], n[1], n[2]);
    };
    const std::optional<bool> tensor_cores = sums.tensor_cores.value_or(std::nullopt);
    const std::int64_t device = sums.device.value_or(-1);
    return {name,
            text_or_unknown(run_.strings[op]),
            file_cell(lines_, line),
            line_cell(lines_, line),
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
            tensor_cores ? Cell(*tensor_cores ? "yes" : "no") : kUnknown,
            pass == OpPass::none ? kUnknown : Cell(pass_name(pass)),
            text_or_unknown(sums.module.module()),
            ratio_cell(static_cast<double>(sums.total_ns), all_ns),
            ratio_cell(sums.flops.amount * 1e-3, sums.flops.ns),
            ratio_cell(sums.bytes.amount, sums.bytes.ns),
            peak_share(sums),
            device >= 0 ? Cell(device) : kUnknown,
            text_or_unknown(run_.strings[region_of(sums, line, pass)])};
  }

  static Cell text_or_unknown(std::string_view text) {
    return text.empty() ? kUnknown : Cell(std::string(text));
  }

  const Run& run_;
  const OpAttribution& ops_;
  const LineIds& lines_;
  const KernelGrouping grouping_;
  std::map<Key, KernelSums> sums_;
  std::map<std::uint32_t, Agreed<std::uint32_t>>
      regions_;                                 // by line id: those of kernels that lie in one
  std::map<std::uint32_t, NamedKernel> names_;  // by Run::strings
  std::map<std::pair<std::uint32_t, std::uint32_t>, DevicePeaks> peaks_;  // process, device
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::optional<double>>
      occupancies_;  // process, device, launch config
};

}  // namespace

template <KernelGrouping grouping>
Table kernels_table(const Analysis& analysis) {
  Table table{"kernels",
              "Kernels" + from_recorded(analysis.run(), analysis.steps()),
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
               {"peak_share", ColumnType::real, Unit::share},
               {"device", ColumnType::integer, Unit::none,
                grouping == KernelGrouping::device ? Prominence::prominent : Prominence::detail},
               {"region", ColumnType::text, Unit::none, Prominence::detail}},
              {}};
  KernelTable(analysis, grouping).fill(table);
  return table;
}
template Table kernels_table<KernelGrouping::line>(const Analysis&);
template Table kernels_table<KernelGrouping::device>(const Analysis&);
template Table kernels_table<KernelGrouping::module>(const Analysis&);

}  // namespace laptime
