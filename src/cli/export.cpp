#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <memory>

#include "base/os/file_sink.h"
#include "cli/command.h"
#include "cli/named_run.h"
#include "cli/standard_streams.h"
#include "export/chrome.h"
#include "export/lprof.h"
#include "export/pstats.h"
#include "export/speedscope.h"
#include "export/stacks.h"

namespace laptime {

namespace {

struct ExportOptions {
  std::string file, format, output;
};

class StdoutSink final : public Sink {
 public:
  Status write(ByteView bytes) override {
    return print_result({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
};

// Writes the run, and returns the line that describes the output.
Result<std::string> to_chrome(const Run& run, Sink& sink) {
  ASSIGN_OR_RETURN(const ChromeExport done, export_chrome(run, sink));
  if (done.moved)
    print_note(fmt::format(
        "laptime: spans that cross others of their thread, shown on tracks of their own: {}",
        done.moved));
  if (done.flattened)
    print_note(fmt::format("laptime: spans that cross too many others, shown without duration: {}",
                           done.flattened));
  if (done.not_finite_values)
    print_note(fmt::format("laptime: values that are not finite numbers, left out: {}",
                           done.not_finite_values));
  return fmt::format("{} spans, {} values; open it in https://ui.perfetto.dev or chrome://tracing",
                     done.spans, done.values);
}

Result<std::string> to_pstats(const Run& run, Sink& sink) {
  ASSIGN_OR_RETURN(const PstatsExport done, export_pstats(run, sink));
  return fmt::format("{} functions; open it with python -m pstats or snakeviz", done.functions);
}

Result<std::string> to_lprof(const Run& run, Sink& sink) {
  ASSIGN_OR_RETURN(const LprofExport done, export_lprof(run, sink));
  return fmt::format("{} lines of {} functions; print it with python -m line_profiler", done.lines,
                     done.functions);
}

Result<std::string> to_speedscope(const Run& run, Sink& sink) {
  ASSIGN_OR_RETURN(const SpeedscopeExport done, export_speedscope(run, sink));
  if (done.left_out)
    print_note(
        fmt::format("laptime: {} spans cross too many others and are left out", done.left_out));
  return fmt::format("{} profiles, {} spans; open it in https://www.speedscope.app", done.profiles,
                     done.spans);
}

Result<std::string> to_stacks(const Run& run, Sink& sink) {
  ASSIGN_OR_RETURN(const StacksExport done, export_stacks(run, sink));
  return fmt::format("{} stacks; draw them with flamegraph.pl or inferno-flamegraph", done.stacks);
}

struct Format {
  const char* name;
  const char* description;
  Result<std::string> (*write)(const Run& run, Sink& sink);
};

constexpr Format kFormats[] = {
    {"chrome", "trace events (JSON) for Perfetto and chrome://tracing", to_chrome},
    {"pstats", "functions as cProfile saves them, for pstats and snakeviz", to_pstats},
    {"lprof", "lines as line_profiler saves them", to_lprof},
    {"speedscope", "spans and call tree for speedscope", to_speedscope},
    {"stacks", "folded stacks for flame graphs", to_stacks},
};

Result<std::string> export_to(const Run& run, const Format& format, const std::string& output) {
  if (output == "-") {
    StdoutSink sink;
    return format.write(run, sink);
  }
  ASSIGN_OR_RETURN(FileSink sink, FileSink::create(output));
  ASSIGN_OR_RETURN(const std::string summary, format.write(run, sink));
  RETURN_IF_ERROR(sink.commit());
  return summary;
}

Result<int> export_run(const ExportOptions& options) {
  const Format* format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                      [&](const Format& f) { return options.format == f.name; });
  ASSIGN_OR_RETURN(const Run run, load_named_run(options.file));
  ASSIGN_OR_RETURN(const std::string summary, export_to(run, *format, options.output));
  if (options.output != "-") print_note(fmt::format("{}: {}", options.output, summary));
  return 0;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}

std::string describe_formats() {
  std::string text = "Formats:\n";
  for (const Format& format : kFormats)
    text += fmt::format("  {:<11} {}\n", format.name, format.description);
  return text;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a run in another tool's format");
  command->add_option("file", options->file, "The run: NAME.lap or NAME.lap.d")->required();
  command->add_option("--to", options->format, "The format")
      ->required()
      ->check(CLI::IsMember(format_names()));
  command->add_option("-o,--output", options->output, "The file to write; - for stdout")
      ->required();
  add_max_memory(*command);
  command->footer(describe_formats() +
                  "\nExamples:\n  laptime export trainer.lap --to chrome -o trainer.json\n  "
                  "laptime export trainer.lap --to chrome -o - | gzip > trainer.json.gz");
  command->callback([options, &action] { action = [options] { return export_run(*options); }; });
}

}  // namespace laptime
