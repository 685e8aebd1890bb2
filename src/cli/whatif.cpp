#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <memory>
#include <optional>

#include "advise/advised_changes.h"
#include "base/humane.h"
#include "cli/command.h"
#include "cli/named_run.h"
#include "replay/predict/prediction.h"
#include "replay/predict/whatif_tables.h"
#include "show/csv.h"
#include "show/json.h"
#include "show/screen_text.h"
#include "show/terminal.h"
#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/ranks/ranks.h"

namespace laptime {

namespace {

constexpr std::size_t kDefaultTop = 10;

struct WhatIfOptions {
  std::string file;
  std::vector<std::string> scales, rules;
  std::string input, launch, batch;
  int workers = -1;
  std::size_t top = kDefaultTop;
  bool json = false, csv = false;
};

Result<replay::Changes> gather_changes(const WhatIfOptions& options, const Analysis& analysis) {
  replay::Changes changes;
  const AdvisedChanges advised(analysis, !options.rules.empty());
  for (const std::string& text : options.scales) {
    ASSIGN_OR_RETURN(changes.scales.emplace_back(), replay::parse_scale(text));
  }
  for (const std::string& rule : options.rules) {
    ASSIGN_OR_RETURN(const replay::Changes of_rule, advised.of_rule(rule));
    changes.add(of_rule);
  }
  changes.input_free |= !options.input.empty();
  changes.launch_free |= !options.launch.empty();
  if (options.workers >= 0) changes.workers = static_cast<unsigned>(options.workers);
  if (!options.batch.empty()) {
    ASSIGN_OR_RETURN(const double factor, replay::parse_batch(options.batch));
    changes.batch *= factor;
  }
  const bool is_one_rule = options.rules.size() == 1 && options.scales.empty() &&
                           options.input.empty() && options.launch.empty() && options.workers < 0 &&
                           options.batch.empty();
  if (is_one_rule) changes.bound = advised.bound_of(options.rules.front());
  return changes;
}

// One line for each phase, for people.
std::string summary_line(const Analysis& analysis, const replay::PhasePrediction& p, bool batch) {
  const auto time = [](double ns) { return humane_time(ns); };
  const std::optional<std::int64_t> rank = rank_of_track(analysis.run(), analysis.ranks(), p.track);
  std::string line = fmt::format(
      "{}{} step: {} now, {} then ({} to {}): {:.2f} × as many {} ({:.2f} to {:.2f}); starts of "
      "this program differ by ± {:.0f} %",
      rank ? fmt::format("rank {}, ", *rank) : "", analysis.run().strings[p.phase],
      time(p.before_ns), time(p.after_ns), time(p.low_ns), time(p.high_ns), p.gain,
      batch ? "samples/s" : "steps/s", p.gain_low, p.gain_high, 100 * p.noise);
  if (!p.is_replayed) line += "; from the advice, not replayed";
  if (p.next.empty()) return line + "\n";
  std::int64_t wall = 0;
  for (const replay::PathPart& part : p.next) wall += part.ns;
  const replay::PathPart& next = p.next.front();
  return line + fmt::format("; next: {}, {:.0f} % of it\n", printable(next.name),
                            100 * static_cast<double>(next.ns) /
                                static_cast<double>(std::max<std::int64_t>(wall, 1)));
}

Result<int> predict_and_print(const WhatIfOptions& options) {
  ASSIGN_OR_RETURN(const Run run, load_named_run(options.file));
  const Analysis analysis(run);
  ASSIGN_OR_RETURN(const replay::Changes changes, gather_changes(options, analysis));
  if (changes.launch_free && std::none_of(run.tracks.begin(), run.tracks.end(), is_stream))
    return fail(ErrorKind::usage,
                fmt::format("{} holds nothing of a GPU: there are no launches to be free (laptime "
                            "run records them, without --no-gpu, on a machine with one)",
                            options.file));
  const replay::Prediction prediction = replay::Predictor(analysis).predict(changes);
  if (!prediction.unknown_patterns.empty())
    return fail(ErrorKind::usage,
                fmt::format("nothing in {} is named '{}' (laptime report {} ops, lines, scopes or "
                            "kernels show the names)",
                            options.file, prediction.unknown_patterns.front(), options.file));
  if (prediction.phases.empty())
    return fail(ErrorKind::usage, fmt::format("{} has no steps to replay", options.file));
  std::vector<Table> tables = replay::whatif_tables(analysis, prediction);
  if (options.json || options.csv) {
    RETURN_IF_ERROR(print_result(options.json ? to_json(tables) : to_csv(tables)));
    return 0;
  }
  std::string text;
  for (const replay::PhasePrediction& phase : prediction.phases)
    text += summary_line(analysis, phase, changes.batch != 1);
  keep_top(tables.back(), options.top);
  const std::vector<Table> shown(tables.begin() + 1, tables.end());
  RETURN_IF_ERROR(print_result(text + "\n" + to_terminal(shown, style_for(STDOUT_FILENO))));
  return 0;
}

}  // namespace

void add_whatif_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<WhatIfOptions>();
  CLI::App* command = app.add_subcommand(
      "whatif", "Predict the step time after changes, by replaying a run with them");
  command->add_option("file", options->file, "The run")->required();
  command
      ->add_option(
          "--scale", options->scales,
          "Everything that PATTERN names takes FACTOR times as long: an op, kernel, scope or "
          "function (with *), FILE:LINE, or a category of the breakdown")
      ->type_name("PATTERN=FACTOR")
      ->allow_extra_args(false);
  command->add_option("--input", options->input, "Batches cost nothing")
      ->check(CLI::IsMember({"free"}))
      ->type_name("free");
  command
      ->add_option("--workers", options->workers,
                   "This number of processes makes batches; 0: the program itself")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  command
      ->add_option("--launch", options->launch,
                   "The host's part of ops on a GPU costs nothing, as in a CUDA graph")
      ->check(CLI::IsMember({"free"}))
      ->type_name("free");
  command->add_option("--batch", options->batch, "The factor for the samples of a step, e.g. 2x")
      ->type_name("FACTOR");
  command->add_option("--rule", options->rules, "The changes of this advice rule")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--top", options->top,
                   "Rows of the table of what bounds the step after the changes")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON: times in ns");
  command->add_flag("--csv", options->csv, "Print CSV")->excludes(json);
  add_max_memory(*command);
  command->footer(
      "Several changes are made at once. Without changes the run is replayed unchanged.\n\n"
      "Examples:\n  laptime whatif train.lap --input free\n  laptime whatif train.lap --workers 4 "
      "--scale 'aten::conv2d=0.5'\n"
      "  laptime whatif train.lap --scale 'train.py:42=0'\n  laptime whatif train.lap --batch 2x "
      "--json");
  command->callback(
      [options, &action] { action = [options] { return predict_and_print(*options); }; });
}

}  // namespace laptime
