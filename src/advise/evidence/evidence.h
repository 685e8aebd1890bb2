// The facts of a run that rules need. Each is computed when it is first requested, then kept.
//
// Rules do not use thin evidence. Evidence is thin if it is from fewer than
//   kFewestSteps          steps that are neither warmup nor compile: then there is no advice
//   kFewestRecordedSteps  such steps with op or GPU records, for facts that only these have
//   kFewestEvents         batches of a worker, compilations or starts of a loader, for facts about
//                         these
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/gpu_steps.h"
#include "advise/evidence/host_work.h"
#include "advise/evidence/loader_workers.h"
#include "advise/evidence/main_phase.h"
#include "advise/evidence/settings.h"
#include "replay/predict/prediction.h"
#include "tables/run/table.h"
#include "trace/analysis.h"
#include "trace/code/source_lines.h"
#include "trace/run/run.h"

namespace laptime {

inline constexpr std::size_t kFewestSteps = 10;
inline constexpr std::size_t kFewestRecordedSteps = 3;
inline constexpr std::size_t kFewestEvents = 2;

template <typename T>
class Lazy {
 public:
  template <typename Make>
  const T& get(Make make) const {
    if (!value_) value_.emplace(make());
    return *value_;
  }

 private:
  mutable std::optional<T> value_;
};

class Evidence {
 public:
  explicit Evidence(const Analysis& analysis)
      : analysis_(analysis),
        run_(analysis.run()),
        main_phase_(analysis),
        settings_(main_phase_.empty() ? Properties{} : process().properties),
        sources_(run_) {}

  const Analysis& analysis() const { return analysis_; }
  const Run& run() const { return run_; }
  bool thin() const { return main_phase_.steps().size() < kFewestSteps; }
  const MainPhase& main_phase() const { return main_phase_; }
  double step_ns() const { return main_phase_.step_ns(); }
  double share(double ns) const { return ns / step_ns(); }
  Part host(HostCategory category) const { return main_phase_.part(category); }
  const Process& process() const {
    return run_.processes[run_.tracks[main_phase_.track()].process];
  }
  const Settings& settings() const { return settings_; }

  // Whether steps take batches that could be larger. False if, say, a step takes a whole graph.
  bool has_batch() const;

  bool knows_ops() const { return main_phase_.recorded() >= kFewestRecordedSteps; }
  // Empty if evidence is thin.
  const std::vector<StepOp>& ops() const {
    return ops_.get(
        [&] { return knows_ops() ? ops_in_steps(analysis_, main_phase_) : std::vector<StepOp>{}; });
  }
  const std::vector<StepLine>& lines() const {
    return lines_.get([&] { return lines_in_steps(analysis_, main_phase_); });
  }
  const LoaderWorkers& workers() const {
    return workers_.get([&] { return find_loader_workers(run_, main_phase_); });
  }
  const BatchCosts& batches() const {
    return batches_.get([&] { return find_batch_costs(analysis_, main_phase_); });
  }
  // Whether enough steps with GPU work were recorded.
  bool knows_gpu() const { return gpu().steps() >= kFewestRecordedSteps; }
  const GpuSteps& gpu() const {
    return gpu_.get([&] { return GpuSteps(analysis_, main_phase_); });
  }
  // The gain of the main phase by a replay. Nothing if no step can be replayed.
  std::optional<Gain> replayed(const replay::Changes& changes) const;
  // The share by which two starts of the program differ. Nothing if no step can be replayed.
  std::optional<double> noise() const;
  // A line of source without its indentation. Empty if the run does not have it.
  std::string source(const std::string& file, std::uint32_t line) const;

 private:
  std::optional<replay::PhasePrediction> predict(const replay::Changes& changes) const;

  const Analysis& analysis_;
  const Run& run_;
  MainPhase main_phase_;
  Settings settings_;
  Lazy<std::vector<StepOp>> ops_;
  Lazy<std::vector<StepLine>> lines_;
  Lazy<LoaderWorkers> workers_;
  Lazy<BatchCosts> batches_;
  Lazy<GpuSteps> gpu_;
  Lazy<std::unique_ptr<replay::Predictor>> replays_;
  mutable SourceLines sources_;
};

}  // namespace laptime
