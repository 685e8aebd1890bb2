#include "xplane/event_kind.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/contains_any.h"

namespace laptime {

namespace {

constexpr std::string_view kEagerOp = "EagerLocalExecute: ";
constexpr std::string_view kFunction = "__inference_";
constexpr std::string_view kJaxCall = "PjitFunction(";
constexpr std::string_view kIterator = "Iterator::";
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

// Ops that tf.GradientTape or tf.gradients made.
bool is_gradient(std::string_view op) {
  return op.starts_with("gradients/") || contains_any(op, {"gradient_tape/", "/gradients/"});
}

// The runtimes' own scopes around ops and transfers.
bool is_runtime(std::string_view name) {
  constexpr std::string_view kNames[] = {"EagerExecute",
                                         "EagerCopyToDevice",
                                         "EagerKernelExecute",
                                         "ExecutorDoneCallback",
                                         "FunctionRun",
                                         "Handle input event recording",
                                         "Handle inputs",
                                         "MapAndBatchConsume",
                                         "MapAndBatchProduce",
                                         "ParseArguments",
                                         "PrefetchConsume",
                                         "PrefetchProduce",
                                         "ValidateInputTypeAndPlacement",
                                         "Wait for donation holds",
                                         "Wait for usage holds",
                                         "convert_to_tensor"};
  return name.starts_with("TFE_") || contains_any(name, {"::"}) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// "train_step" of "__inference_train_step_123".
std::string_view function_name(std::string_view name) {
  name.remove_prefix(kFunction.size());
  const auto number = name.find_last_not_of("0123456789");
  return number != std::string_view::npos && number > 0 && name[number] == '_' &&
                 number + 1 < name.size()
             ? name.substr(0, number)
             : name;
}

EventKind eager_kind(std::string_view op) {
  if (op.starts_with(kFunction) && op.size() > kFunction.size())
    return {.kind = SpanKind::dispatch, .name = function_name(op), .is_twofold = true};
  return {SpanKind::op, op};
}

}  // namespace

EventKind event_kind(std::string_view name, std::string_view display_name) {
  const std::string_view shown = display_name.empty() ? name : display_name;
  if (name.starts_with("ThreadpoolListener::") || name.starts_with("end: "))
    return {.name = shown, .is_pool_note = true};
  if (name == "MemoryAllocation") return {SpanKind::allocate, {}};
  if (name == "MemoryDeallocation") return {SpanKind::release, {}};
  if (name.starts_with("IteratorGetNextOp::DoCompute") ||
      name.starts_with("IteratorGetNextAsOptionalOp::DoCompute"))
    return {SpanKind::loader, kInput};
  if (name.starts_with(kIterator)) return {SpanKind::stage, name.substr(name.rfind(':') + 1), name};
  if (is_compilation(name))
    return {SpanKind::compile, name.starts_with('$') ? name.substr(1) : shown};
  if (name.starts_with('$')) return {SpanKind::function, name.substr(1)};
  if (name.starts_with(kEagerOp)) return eager_kind(name.substr(kEagerOp.size()));
  if (name.starts_with(kJaxCall) && name.ends_with(')')) {
    name.remove_prefix(kJaxCall.size());
    name.remove_suffix(1);
    return {.kind = SpanKind::dispatch, .name = name, .is_twofold = true};
  }
  if (is_op(name, display_name)) {
    const std::string_view op = name.substr(0, name.size() - display_name.size() - 1);
    return {is_gradient(op) ? SpanKind::backward : SpanKind::op, display_name, op};
  }
  return {.kind = SpanKind::scope, .name = shown, .is_runtime = is_runtime(name)};
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
