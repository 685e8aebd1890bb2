#include "statement.h"

#include <charconv>

namespace laptime {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Removes an escaped character after its backslash from `rest`.
char unescape(std::string_view& rest) {
  const char c = rest.front();
  rest.remove_prefix(1);
  if (c == 'n') return '\n';
  if (c != 'x' || rest.size() < 2) return c;
  const char byte = static_cast<char>(hex_digit(rest[0]) * 16 + hex_digit(rest[1]));
  rest.remove_prefix(2);
  return byte;
}

struct Word {
  std::string text;
  std::size_t equals = std::string::npos;  // of the first = outside quotes
};

Result<Word> take_word(std::string_view& rest) {
  Word word;
  bool quoted = false;
  while (!rest.empty() && (quoted || rest.front() != ' ')) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\' && !rest.empty())
      word.text += unescape(rest);
    else {
      if (c == '=' && !quoted && word.equals == std::string::npos) word.equals = word.text.size();
      word.text += c;
    }
  }
  if (quoted) return fail(ErrorKind::usage, "a quote is not closed");
  return word;
}

}  // namespace

Result<std::int64_t> parse_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(ErrorKind::usage, "'" + text + "' is not a whole number");
  return number;
}

Result<Statement> parse_statement(std::string_view line) {
  Statement statement;
  bool first = true;
  while (!line.empty()) {
    if (line.front() == ' ') {
      line.remove_prefix(1);
      continue;
    }
    ASSIGN_OR_RETURN(const Word word, take_word(line));
    if (first)
      statement.verb = word.text;
    else if (word.equals != std::string::npos)
      statement.options[word.text.substr(0, word.equals)] = word.text.substr(word.equals + 1);
    else
      statement.words.push_back(word.text);
    first = false;
  }
  return statement;
}

Result<std::string> Statement::word(std::size_t index) const {
  if (index >= words.size()) return fail(ErrorKind::usage, verb + " needs more words");
  return words[index];
}

Result<std::int64_t> Statement::number(std::size_t index) const {
  ASSIGN_OR_RETURN(const std::string text, word(index));
  return parse_number(text);
}

Result<std::int64_t> Statement::time(std::size_t index) const {
  ASSIGN_OR_RETURN(const std::string text, word(index));
  const std::size_t digits = text.find_last_of("0123456789") + 1;
  const std::string record = text.substr(digits);
  const std::int64_t factor = record == "s"    ? 1'000'000'000
                              : record == "ms" ? 1'000'000
                              : record == "us" ? 1000
                                               : 1;
  if (factor == 1 && !record.empty() && record != "ns")
    return fail(ErrorKind::usage, "'" + text + "' is not a time");
  ASSIGN_OR_RETURN(const std::int64_t number, parse_number(text.substr(0, digits)));
  return number * factor;
}

}  // namespace laptime
