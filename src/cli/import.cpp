#include "import/import.h"

#include <fmt/format.h>
#include <memory>

#include "base/os/file_sink.h"
#include "base/os/memory_limit.h"
#include "cli/command.h"
#include "cli/standard_streams.h"

namespace laptime {

namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  mode_t mode = FileSink::kPrivate;
};

Result<int> import_into_run(const ImportOptions& options) {
  hold_memory_to_limit();
  ASSIGN_OR_RETURN(FileSink sink, FileSink::create(options.output, options.mode));
  const auto budget =
      max_memory() == 0 ? ImportBudget() : ImportBudget(max_memory(), ErrorKind::system);
  RETURN_IF_ERROR(import_files(options.files, sink, budget));
  RETURN_IF_ERROR(sink.commit());
  print_note(fmt::format("{}: see laptime report {}", options.output, options.output));
  return 0;
}

}  // namespace

void add_import_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Make a run of other profilers' files");
  command
      ->add_option(
          "files", options->files,
          "cProfile's .prof, line_profiler's .lprof, TensorFlow's and JAX's .xplane.pb, or a "
          "TensorBoard logdir; several become one run")
      ->required();
  command->add_option("-o,--output", options->output, "The run to write: NAME.lap")->required();
  add_mode_option(*command, options->mode);
  add_max_memory(*command);
  command->footer(
      "The content of a file determines its format, not its name. Nothing in it is executed.\n\n"
      "Examples:\n  laptime import train.prof -o train.lap\n  laptime import logdir -o keras.lap\n "
      " laptime import rank0.prof rank1.prof "
      "train.py.lprof -o train.lap");
  command->callback(
      [options, &action] { action = [options] { return import_into_run(*options); }; });
}

}  // namespace laptime
