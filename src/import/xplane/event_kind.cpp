#include "import/xplane/event_kind.h"

#include <algorithm>
#include <string>

#include "base/contains_any.h"

namespace laptime {

namespace {

constexpr std::string_view kEagerOp = "EagerLocalExecute: ";
constexpr std::string_view kJaxCall = "PjitFunction(";
constexpr std::string_view kInput = "input";

bool is_compilation(std::string_view name) {
  return name.starts_with("CpuCompiler::") || name.starts_with("GpuCompiler::") ||
         name.starts_with("NVPTXCompiler::") || name.ends_with("::Compile") ||
         name == "XlaCompile" || name.starts_with("tf.function-graph_building") ||
         (name.starts_with("$compiler.py:") && name.ends_with(" compile_or_get_cached"));
}

// TensorFlow's name and type of an op: "adam/Add_2:AddV2". tf.data's and the runtime's own scopes
// have "::", or spaces.
bool is_op(std::string_view name, std::string_view type) {
  return !type.empty() && name.size() > type.size() + 1 && name.ends_with(type) &&
         name[name.size() - type.size() - 1] == ':' && !name.starts_with("ThenExecute") &&
         !contains_any(name, {"::", " "});
}

}  // namespace

EventKind event_kind(std::string_view name, std::string_view display_name) {
  const std::string_view shown = display_name.empty() ? name : display_name;
  if (name.starts_with("ThreadpoolListener::") || name.starts_with("end: "))
    return {.name = shown, .left = EventKind::Left::pool};
  if (name == "MemoryAllocation" || name == "MemoryDeallocation")
    return {.name = shown, .left = EventKind::Left::memory};
  if (name.starts_with("IteratorGetNextOp::DoCompute") ||
      name.starts_with("IteratorGetNextAsOptionalOp::DoCompute"))
    return {SpanKind::loader, kInput};
  if (is_compilation(name))
    return {SpanKind::compile, name.starts_with('$') ? name.substr(1) : shown};
  if (name.starts_with('$')) return {SpanKind::function, name.substr(1)};
  if (name.starts_with(kEagerOp)) return {SpanKind::op, name.substr(kEagerOp.size())};
  if (name.starts_with(kJaxCall)) return {.kind = SpanKind::op, .name = name, .is_twofold = true};
  if (is_op(name, display_name))
    return {SpanKind::op, display_name, name.substr(0, name.size() - display_name.size() - 1)};
  return {SpanKind::scope, shown};
}

std::string_view phase_of_marker(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (contains_any(lower, {"train", "profiled batch"})) return "train";
  if (contains_any(lower, {"eval", "valid", "test"})) return "validation";
  if (contains_any(lower, {"predict", "infer"})) return "inference";
  return "train";
}

}  // namespace laptime
