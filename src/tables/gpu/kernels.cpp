#include "tables/gpu/kernels.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "tables/code/line_columns.h"
#include "tables/ops/agreement.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/device_facts.h"
#include "trace/gpu/effort/kernel_effort.h"
#include "trace/gpu/effort/kernel_math.h"
#include "trace/gpu/gpu_work.h"
#include "trace/gpu/kernel_names.h"
#include "trace/gpu/occupancy.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// Work of known amount, and what the device could have done in its time.
struct Achieved {
  double amount = 0, ns = 0, possible = 0;
  bool knows_peak = true;  // for all calls

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
  CommonModule module;
  Agreed<std::optional<bool>> tensor_cores;
  Agreed<std::int64_t> device;
  Agreed<std::uint32_t> region;
  Achieved flops, bytes;
};

constexpr std::string_view kCompiledRegion = "Torch-Compiled Region";

// The compiled region around a launch (Run::strings). 0: none.
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

struct KernelRow {
  const Run* run;
  const LineIds* lines;
  std::string_view name;
  std::uint32_t op, line;
  OpPass pass;
  const KernelSums* sums;
  std::uint32_t region;
  const LaunchConfig* launch;
  double all_ns;  // of all kernels
};

class KernelTable {
 public:
  KernelTable(const Analysis& analysis, KernelGrouping grouping)
      : run_(analysis.run()), ops_(analysis.ops()), lines_(analysis.lines()), grouping_(grouping) {
    const std::vector<GpuWork>& all = analysis.gpu().all();
    const std::vector<KernelEffort> efforts =
        find_kernel_efforts(run_, analysis.ops(), analysis.gpu());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (run_.tracks[all[i].track].spans.kind[all[i].row] == SpanKind::kernel)
        add(all[i], efforts.empty() ? KernelEffort{} : efforts[i]);
    }
  }

  // In falling order of time. The rows refer to this object.
  std::vector<KernelRow> rows() const {
    double all_ns = 0;
    for (const auto& [key, sums] : sums_) all_ns += static_cast<double>(sums.total_ns);
    std::vector<KernelRow> rows;
    for (const auto& [key, sums] : sums_) {
      const auto& [name, op, line, pass, group] = key;
      rows.push_back({&run_, &lines_, name, op, line, pass, &sums, region_of(sums, line, pass),
                      run_.launch_configs.find(sums.launch_config.value_or(0)), all_ns});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
      return a.sums->total_ns > b.sums->total_ns;
    });
    return rows;
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
    const std::uint32_t line = lines_[work.call_site];
    KernelSums& sums = sums_[{name, work.op, line, work.pass, group_of(work)}];
    const std::int64_t ns = track.spans.duration[work.row];
    ++sums.calls;
    sums.launch_config.add(work.launch_config);
    sums.tensor_cores.add(math.tensor_cores);
    sums.device.add(device_of(track));
    sums.module.add(run_.strings[run_.call_sites[work.call_site].module]);
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
        return run_.call_sites[work.call_site].module;
    }
    return 0;
  }
  // A compiled region's backward pass runs outside of the region, but belongs to its lines.
  std::uint32_t region_of(const KernelSums& sums, std::uint32_t line, OpPass pass) const {
    const auto of_line = regions_.find(line);
    const bool asks_line = pass == OpPass::backward && line != 0 && of_line != regions_.end();
    return sums.region.value_or(asks_line ? of_line->second.value_or(0) : 0);
  }

  std::optional<double> occupancy_of(const GpuWork& work, const Track& track) {
    const auto [it, is_new] =
        occupancies_.try_emplace({track.process, device_of(track), work.launch_config});
    if (!is_new) return it->second;
    const auto limits = device_limits(run_.processes[track.process], device_of(track));
    const LaunchConfig* const launch = run_.launch_configs.find(work.launch_config);
    if (limits && launch) it->second = occupancy(*launch, *limits);
    return it->second;
  }

  const DevicePeaks& peaks_of(const Track& track) {
    const auto [it, is_new] = peaks_.try_emplace({track.process, device_of(track)});
    if (is_new) it->second = device_peaks(run_.processes[track.process], device_of(track));
    return it->second;
  }
  const Run& run_;
  const OpAttribution& ops_;
  const LineIds& lines_;
  const KernelGrouping grouping_;
  std::map<Key, KernelSums> sums_;
  std::map<std::uint32_t, Agreed<std::uint32_t>> regions_;  // by line id: regions of its kernels
  std::map<std::uint32_t, NamedKernel> names_;              // by Run::strings
  std::map<std::pair<std::uint32_t, std::uint32_t>, DevicePeaks> peaks_;  // process, device
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::optional<double>>
      occupancies_;  // process, device, launch config
};

std::string size_text(const std::array<std::uint32_t, 3>& n) {
  return fmt::format("{}x{}x{}", n[0], n[1], n[2]);
}

// Kernels that multiply are measured by their products, all others by the data they move.
std::optional<double> peak_share(const KernelSums& sums) {
  const Achieved& measured = sums.flops.ns > 0 ? sums.flops : sums.bytes;
  return measured.knows_peak ? ratio(measured.amount, measured.possible) : std::nullopt;
}

// The result of `get` for a launch, if all calls have the same.
template <typename Get>
auto of_launch(const KernelRow& row, Get get) {
  return row.launch ? std::optional(get(*row.launch)) : std::nullopt;
}

constexpr ColumnOf<KernelRow> kKernelColumns[] = {
    {"name", "The kernel, its template arguments shortened.", [](auto& r) { return r.name; },
     Prominence::prominent},
    {"op", "The outermost op that launched it.",
     [](auto& r) { return known_text(r.run->strings[r.op]); }},
    {"file", "The file of the line that launched it; in backward of the forward op's line.",
     [](auto& r) { return file_at(*r.lines, r.line); }},
    {"line", "The line that launched it.", [](auto& r) { return line_at(*r.lines, r.line); }},
    {"calls", Unit::count, "How many launches.", [](auto& r) { return r.sums->calls; }},
    {"total_ns", Unit::ns, "How long all of them took.", [](auto& r) { return r.sums->total_ns; }},
    {"mean_ns", Unit::ns, "How long one takes.",
     [](auto& r) { return ratio(r.sums->total_ns, r.sums->calls); }},
    {"min_ns", Unit::ns, "How long the shortest took.", [](auto& r) { return r.sums->min_ns; },
     Prominence::detail},
    {"max_ns", Unit::ns, "How long the longest took.", [](auto& r) { return r.sums->max_ns; },
     Prominence::detail},
    {"grid", "The grid, if all the row's calls have the same.",
     [](auto& r) { return of_launch(r, [](auto& l) { return size_text(l.grid); }); },
     Prominence::detail},
    {"block", "The block, if all the row's calls have the same.",
     [](auto& r) { return of_launch(r, [](auto& l) { return size_text(l.block); }); },
     Prominence::detail},
    {"registers", "The registers a thread uses, if all the row's calls use the same.",
     [](auto& r) { return of_launch(r, [](auto& l) { return l.registers; }); }, Prominence::detail},
    {"shared_bytes", Unit::bytes, "The shared memory a block uses, if all the row's calls agree.",
     [](auto& r) { return of_launch(r, [](auto& l) { return l.shared(); }); }, Prominence::detail},
    {"occupancy", Unit::share, "An estimate from the grid, block, registers and shared memory.",
     [](auto& r) { return ratio(r.sums->occupancy, r.sums->with_occupancy); }},
    {"tensor_cores", "`yes` or `no`; unknown if the kernel's name does not say.",
     [](auto& r) {
       const std::optional<bool> uses = r.sums->tensor_cores.value_or(std::nullopt);
       return uses ? std::optional(*uses ? "yes" : "no") : std::nullopt;
     }},
    {"pass", "`forward`, `backward` or `optimizer`.",
     [](auto& r) { return known_text(pass_name(r.pass)); }},
    {"module", "The innermost module that all calls are in.",
     [](auto& r) { return known_text(r.sums->module.module()); }},
    {"share", Unit::share, "The row's part of all kernels' time.",
     [](auto& r) { return ratio(r.sums->total_ns, r.all_ns); }},
    {"tflop_per_s", "For kernels that multiply: how much they compute, from their op's FLOPs.",
     [](auto& r) { return ratio(r.sums->flops.amount * 1e-3, r.sums->flops.ns); }},
    {"gb_per_s", "For other kernels: how much they read and write at least.",
     [](auto& r) { return ratio(r.sums->bytes.amount, r.sums->bytes.ns); }},
    {"peak_share", Unit::share, "What was computed or moved, against the device's peak.",
     [](auto& r) { return peak_share(*r.sums); }},
    {"device", "The GPU, if all calls ran on the same one.",
     [](auto& r) {
       return known_if(r.sums->device.value_or(-1) >= 0, r.sums->device.value_or(-1));
     },
     Prominence::detail},
    {"region", "torch.compile's region that launched it; in backward the one that has its line.",
     [](auto& r) { return known_text(r.run->strings[r.region]); }, Prominence::detail}};
constexpr TableOf<KernelRow> kKernels{"kernels", kKernelColumns};

constexpr Grouping kKernelGroupings[] = {{"line", kernels_table<KernelGrouping::line>},
                                         {"device", kernels_table<KernelGrouping::device>},
                                         {"module", kernels_table<KernelGrouping::module>}};

}  // namespace

template <KernelGrouping grouping>
Table kernels_table(const Analysis& analysis) {
  const KernelTable kernels(analysis, grouping);
  Table table =
      kKernels.build("Kernels" + from_recorded(analysis.run(), analysis.steps()), kernels.rows());
  if (grouping == KernelGrouping::device) show_prominently(table, "device");
  return table;
}
template Table kernels_table<KernelGrouping::line>(const Analysis&);
template Table kernels_table<KernelGrouping::device>(const Analysis&);
template Table kernels_table<KernelGrouping::module>(const Analysis&);

constinit const TableDefinition kKernelsTable =
    define_table<kKernels>("what the GPUs computed, by kernel and line",
                           R"(
docs/gpu.md explains where the lines come from. A row is a kernel, op, line and pass. `--by
device` and `--by module` divide it further.

`tflop_per_s`, `gb_per_s` and `peak_share` need `--shapes`. They are unknown in these cases:

- the op reports no FLOPs, or several kernels share them;
- cuDNN convolves by Winograd's method, which multiplies less than the op's FLOPs say.

The peak is that of the kernel's precision, or of the device's memory. A share of the memory's
peak is above 1 if the data were in the cache. The two products of `aten::convolution_backward`
count as many FLOPs as the forward pass each. Kernels of `_foreach_` and fused optimizers move
what their name says for each element of the first list. That is known if the list's shapes fit
into a record: some 230 to 500 tensors.)",
                           kernels_table<KernelGrouping::line>, kKernelGroupings);

}  // namespace laptime
