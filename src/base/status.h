// Errors outside the hot path are values: a function that can fail returns Result<T>, and the
// command line prints Error::message as its one line. Nothing in the recording half throws; nothing
// here allocates unless there is an error.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace laptime {

// The exit codes of the command line (docs/architecture.md, "Exit codes"). The error that causes
// the exit has its code.
enum class ErrorKind {
  usage = 2,     // the request cannot be executed as it was made
  bad_file = 3,  // an input is missing, damaged, hostile or too new
  system = 4,    // the machine refused: no space, no permission, no memory
};

struct Error {
  ErrorKind kind;
  std::string message;  // one line: what is wrong and, if known, what to do
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace laptime

#define LAPTIME_CONCAT_(a, b) a##b
#define LAPTIME_CONCAT(a, b) LAPTIME_CONCAT_(a, b)

#define RETURN_IF_ERROR(expr)                                                               \
  do {                                                                                      \
    if (auto status_ = (expr); !status_) return tl::unexpected(std::move(status_).error()); \
  } while (0)

#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_(LAPTIME_CONCAT(result_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr)                  \
  auto tmp = (expr);                                       \
  if (!tmp) return tl::unexpected(std::move(tmp).error()); \
  lhs = std::move(*tmp)
