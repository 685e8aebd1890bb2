#include "trace/run/kind_names.h"

#include <algorithm>
#include <iterator>

namespace laptime {

namespace {

// By number.
constexpr const char* kNames[] = {
    "scope",    "step",     "function", "op",          "backward",   "kernel", "copy",
    "fill",     "sync",     "launch",   "loader",      "compile",    "gc",     "optimizer",
    "dispatch", "allocate", "release",  "tensor_role", "annotation", "stage",  "wait"};

}  // namespace

const char* kind_name(SpanKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "other";
}

std::optional<SpanKind> kind_from_name(std::string_view name) {
  const auto it = std::find(std::begin(kNames), std::end(kNames), name);
  if (it == std::end(kNames)) return std::nullopt;
  return static_cast<SpanKind>(it - std::begin(kNames));
}

}  // namespace laptime
