#include "tables/code/package_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "tables/ops/agreement.h"
#include "trace/analysis.h"
#include "trace/code/code_merge.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps_by_time.h"
#include "trace/time/host_time.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

// Folders of the frameworks' own packages.
constexpr std::string_view kFramework[] = {"torch/",      "functorch/", "torchgen/", "triton/",
                                           "tensorflow/", "jax/",       "jaxlib/"};

bool is_package(std::string_view file) {
  constexpr std::string_view kInstalled = "-packages/";  // site-, dist-
  const std::size_t at = file.rfind(kInstalled);
  if (at == std::string_view::npos) return false;
  const std::string_view inside = file.substr(at + kInstalled.size());
  return std::none_of(std::begin(kFramework), std::end(kFramework),
                      [&](std::string_view folder) { return inside.starts_with(folder); });
}

struct SourceLine {
  std::uint32_t code = 0, line = 0;  // MergedCodes

  auto operator<=>(const SourceLine&) const = default;
};

// By call site: the package's line below the program's own. Code 0: there is none.
std::vector<SourceLine> lines_below(const Run& run, const MergedCodes& merged) {
  std::vector<SourceLine> lines(run.call_sites.size());
  for (std::size_t i = 0; i < run.call_sites.size(); ++i) {
    const CallSite& call_site = run.call_sites[i];
    for (std::uint32_t row = call_site.frame; row != 0; row = run.call_frames[row].caller) {
      const CallFrame& frame = run.call_frames[row];
      if (frame.code == call_site.code && frame.line == call_site.line)
        break;  // the program's code begins here
      if (!is_package(run.strings[run.codes[frame.code].file])) continue;
      lines[i] = {merged[frame.code], frame.line};
      break;
    }
  }
  return lines;
}

struct PackageLineSums {
  double op_ns = 0, backward_ns = 0, gpu_ns = 0;
  CommonModule module;
};

// The time of a step in ops and in the driver calls that ops make.
double ns_in_ops(const std::array<double, kHostCategories>& ns) {
  double sum = 0;
  for (const HostCategory category :
       {HostCategory::sync, HostCategory::copy, HostCategory::launch, HostCategory::optimizer,
        HostCategory::communication, HostCategory::memory, HostCategory::backward,
        HostCategory::forward, HostCategory::dispatch})
    sum += ns[static_cast<std::size_t>(category)];
  return sum;
}

struct PhaseSteps {
  HostSteps all;
  double with_gpu = 0;

  MeanStep mean() const { return mean_step(all); }
  // Recorded steps may be longer or shorter than the mean step. Their details are scaled to it, as
  // in the breakdown.
  double per_step(const MeanStep& mean_of_all) const {
    const HostSteps recorded = steps_with_ops(all);
    double sum = 0;
    for (const HostStep* s : recorded) {
      std::array<double, kHostCategories> ns{};
      std::copy(s->exposed.begin(), s->exposed.end(), ns.begin());
      sum += ns_in_ops(ns);
    }
    if (recorded.empty()) return 0;
    const auto count = static_cast<double>(recorded.size());
    return sum > 0 ? ns_in_ops(mean_of_all.exposed) / sum : 1 / count;
  }
};

class PackageSums {
 public:
  explicit PackageSums(const Analysis& analysis)
      : analysis_(analysis),
        run_(analysis.run()),
        merged_(run_),
        below_(lines_below(run_, merged_)) {
    if (std::none_of(below_.begin(), below_.end(),
                     [](const SourceLine& line) { return line.code != 0; }))
      return;
    std::vector<std::vector<Step>> with_ops(run_.processes.size()), with_gpu(run_.processes.size());
    for (const HostStep& s : analysis.host_steps()) {
      if (!s.step.counts) continue;
      PhaseSteps& phase = phases_[s.step.phase];
      phase.all.push_back(&s);
      phase.with_gpu += s.sources.gpu;
      const std::uint32_t process = run_.tracks[s.step.track].process;
      if (s.has_ops) with_ops[process].push_back(s.step);
      if (s.sources.gpu) with_gpu[process].push_back(s.step);
    }
    add_ops({with_ops.begin(), with_ops.end()});
    add_gpu({with_gpu.begin(), with_gpu.end()});
  }

  std::vector<PackageLine> take() const {
    std::map<std::uint32_t, Scale> scales;
    for (const auto& [phase, steps] : phases_) {
      const MeanStep mean = steps.mean();
      scales[phase] = {steps.per_step(mean), mean.wall_ns,
                       mean.wall_ns * static_cast<double>(mean.steps)};
    }
    std::vector<PackageLine> lines;
    for (const auto& [key, sums] : sums_) {
      const auto& [phase, line, user] = key;
      const auto& [per_step, step_ns, all_ns] = scales[phase];
      PackageLine row{phase,
                      file(line),
                      std::string(run_.strings[run_.codes[line.code].name]),
                      line.line,
                      file(user),
                      user.line,
                      std::string(sums.module.module()),
                      sums.op_ns * per_step,
                      sums.backward_ns * per_step,
                      gpu_ns(phases_.at(phase), sums),
                      0};
      row.share = step_ns > 0 ? (row.op_ns + row.backward_ns) / step_ns : 0;
      lines.push_back(std::move(row));
    }
    std::stable_sort(lines.begin(), lines.end(), [&](const PackageLine& a, const PackageLine& b) {
      if (a.phase != b.phase)
        return std::pair(-scales.at(a.phase).all_ns, a.phase) <
               std::pair(-scales.at(b.phase).all_ns, b.phase);
      return a.most_ns() > b.most_ns();
    });
    return lines;
  }

 private:
  using Key = std::tuple<std::uint32_t, SourceLine,
                         SourceLine>;  // phase, package's line, the program's line

  struct Scale {
    double per_step = 0, step_ns = 0, all_ns = 0;
  };

  static std::optional<double> gpu_ns(const PhaseSteps& steps, const PackageLineSums& sums) {
    return steps.with_gpu > 0 ? std::optional(sums.gpu_ns / steps.with_gpu) : std::nullopt;
  }
  std::string file(const SourceLine& line) const {
    return std::string(run_.strings[run_.codes[line.code].file]);
  }
  PackageLineSums& sums_at(std::uint32_t phase, std::uint32_t call_site) {
    const CallSite& at = run_.call_sites[call_site];
    PackageLineSums& sums =
        sums_[{phase, below_[call_site], SourceLine{merged_[at.code], at.line}}];
    sums.module.add(run_.strings[at.module]);
    return sums;
  }

  void add_ops(const std::vector<StepsByTime>& steps) {
    for (std::size_t t = 0; t < run_.tracks.size(); ++t) {
      const SpanColumns& spans = run_.tracks[t].spans;
      const TrackOps& ops = analysis_.ops().tracks[t];
      for (std::uint32_t row = 0; row < ops.size(); ++row) {
        if (below_[ops.call_site[row]].code == 0 || ops.pass[row] == OpPass::none ||
            (spans.kind[row] != SpanKind::op && spans.kind[row] != SpanKind::backward))
          continue;
        const Step* const step = steps[run_.tracks[t].process].find(spans.start[row]);
        if (!step) continue;
        PackageLineSums& sums = sums_at(step->phase, ops.call_site[row]);
        (ops.pass[row] == OpPass::backward ? sums.backward_ns : sums.op_ns) +=
            static_cast<double>(ops.tree.self_ns[row]);
      }
    }
  }
  // Work belongs to the step in which it begins.
  void add_gpu(const std::vector<StepsByTime>& steps) {
    for (const GpuWork& work : analysis_.gpu().all()) {
      if (below_[work.call_site].code == 0) continue;
      const Track& track = run_.tracks[work.track];
      if (const Step* const step = steps[track.process].find(track.spans.start[work.row]))
        sums_at(step->phase, work.call_site).gpu_ns +=
            static_cast<double>(track.spans.duration[work.row]);
    }
  }

  const Analysis& analysis_;
  const Run& run_;
  const MergedCodes merged_;
  const std::vector<SourceLine> below_;  // by call site
  std::map<std::uint32_t, PhaseSteps> phases_;
  std::map<Key, PackageLineSums> sums_;
};

}  // namespace

std::vector<PackageLine> package_lines(const Analysis& analysis) {
  return PackageSums(analysis).take();
}

namespace {

struct PackageLineRow {
  const Run& run;
  const PackageLine& line;
};

constexpr ColumnOf<PackageLineRow> kPackageLineColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.run.strings[r.line.phase]; }},
    {"file", "The package's file.", [](auto& r) { return std::string_view(r.line.file); }},
    {"line", "The package's line.", [](auto& r) { return r.line.line; }},
    {"function", "Its function.", [](auto& r) { return std::string_view(r.line.function); }},
    {"op_ns", Unit::ns, "Own time of its ops in a mean step: forward and the optimizer.",
     [](auto& r) { return r.line.op_ns; }},
    {"backward_ns", Unit::ns, "The same of their backward.",
     [](auto& r) { return r.line.backward_ns; }},
    {"gpu_ns", Unit::ns, "What GPUs did for the line, in a step in which they were recorded.",
     [](auto& r) { return r.line.gpu_ns; }},
    {"share", Unit::share, "`op_ns` and `backward_ns`, of a mean step.",
     [](auto& r) { return r.line.share; }},
    {"module", "The innermost module that all calls are in.",
     [](auto& r) { return known_text(r.line.module); }},
    {"user_file", "The file of the program's line that it ran below.",
     [](auto& r) { return std::string_view(r.line.user_file); }},
    {"user_line", "That line.", [](auto& r) { return r.line.user_line; }}};
constexpr TableOf<PackageLineRow> kPackageLines{"package_lines", kPackageLineColumns};

}  // namespace

Table package_lines_table(const Analysis& analysis) {
  Table table = kPackageLines.empty("Lines of packages in a step" +
                                    from_recorded(analysis.run(), analysis.steps()));
  for (const PackageLine& line : package_lines(analysis))
    kPackageLines.add(table, {analysis.run(), line});
  return table;
}

constinit const TableDefinition kPackageLinesTable = define_table<kPackageLines>(
    "which lines of installed packages a step's ops come from, below which line of the program",
    R"(
With Hugging Face, Lightning, Keras or Stable-Baselines3 all of a step is under
`trainer.train()`. This table shows the lines below it. A line is the innermost one of a package
that ran when the op was called. Lines of torch, TensorFlow and JAX do not count. Times are scaled
from recorded steps, as the breakdown is. Ops that the program's own code called are in no row.

Where one line of the program holds more than half of a step, `laptime run` shows the first
three lines below it:

    Lines of a train step                         self  share  source
      hf.py:11                                  860 ms  100 %  trainer.train()
        transformers/pytorch_utils.py:119       138 ms   16 %  Conv1D.forward (GPT2…Model.transformer.h)
        transformers/inte…dpa_attention.py:193  111 ms   13 %  sdpa_attention_forwa…Model.transformer.h)
        transformers/activations.py:66          109 ms   13 %  NewGELUActivation.fo…Model.transformer.h))",
    package_lines_table);

}  // namespace laptime
