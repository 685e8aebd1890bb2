// Shell completion. It is made from the parser's own commands.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <vector>

#include "cli/command.h"

namespace laptime {

namespace {

// The values of an option with a fixed set: CLI11 has them as "{a,b}" in the option's type.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

struct CommandWords {
  std::string name;
  std::vector<std::string> words;  // options and fixed positional values
  std::map<std::string, std::vector<std::string>> option_values;  // by option
};

CommandWords words_of(const CLI::App& command) {
  CommandWords result{command.get_name(), {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> values = values_of(*option);
    std::vector<std::string> spellings;
    for (const std::string& name : option->get_lnames()) spellings.push_back("--" + name);
    for (const std::string& name : option->get_snames()) spellings.push_back("-" + name);
    if (spellings.empty()) result.words.insert(result.words.end(), values.begin(), values.end());
    for (const std::string& spelling : spellings) {
      result.words.push_back(spelling);
      if (!values.empty()) result.option_values[spelling] = values;
    }
  }
  return result;
}

std::string bash_case(const CommandWords& command) {
  std::string text = fmt::format("    {})\n", command.name);
  if (!command.option_values.empty()) {
    text += "      case \"$previous\" in\n";
    for (const auto& [option, values] : command.option_values)
      text += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                          option, fmt::join(values, " "));
    text += "      esac\n";
  }
  return text +
         fmt::format(
             "      COMPREPLY=($(compgen -W \"{}\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n",
             fmt::join(command.words, " "));
}

std::string bash_script(const CLI::App& app) {
  std::string names = fmt::format("{}", fmt::join(words_of(app).words, " ")), cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += " " + sub->get_name();
    cases += bash_case(words_of(*sub));
  }
  return "_laptime() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
         names +
         "\" -- \"$word\")); return; fi\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         cases +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _laptime laptime\n";
}

std::string zsh_case(const CommandWords& command) {
  std::string text = fmt::format("    {})\n", command.name);
  if (!command.option_values.empty()) {
    text += "      case \"${words[CURRENT-1]}\" in\n";
    for (const auto& [option, values] : command.option_values)
      text += fmt::format("        {}) compadd -- {}; return ;;\n", option, fmt::join(values, " "));
    text += "      esac\n";
  }
  return text + fmt::format(
                    "      compadd -- {}\n      [[ \"${{words[CURRENT]}}\" == -* ]] || _files ;;\n",
                    fmt::join(command.words, " "));
}

// Works as a file `_laptime` in a folder of $fpath, where its text is the function's body. Also
// works when it is sourced.
std::string zsh_script(const CLI::App& app) {
  std::string names = fmt::format("{}", fmt::join(words_of(app).words, " ")), cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += " " + sub->get_name();
    cases += zsh_case(words_of(*sub));
  }
  return "#compdef laptime\n"
         "_laptime() {\n"
         "  if (( CURRENT == 2 )); then compadd -- " +
         names +
         "; return; fi\n"
         "  case \"${words[2]}\" in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [ \"${funcstack[1]}\" = _laptime ]; then\n"
         "  _laptime \"$@\"\n"
         "else\n"
         "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"
         "  compdef _laptime laptime\n"
         "fi\n";
}

Result<int> print_completion(const CLI::App& app, const std::string& shell) {
  RETURN_IF_ERROR(print_result(shell == "zsh" ? zsh_script(app) : bash_script(app)));
  return 0;
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(
      "Examples:\n  source <(laptime completion bash)\n  source <(laptime completion zsh)\n  "
      "laptime completion zsh > ~/.zfunc/_laptime");
  command->callback(
      [shell, &app, &action] { action = [shell, &app] { return print_completion(app, *shell); }; });
}

}  // namespace laptime
