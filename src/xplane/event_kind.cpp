#include "xplane/event_kind.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/contains_any.h"

namespace laptime {

namespace {

constexpr std::string_view kEagerOp = "EagerLocalExecute: ";
constexpr std::string_view kInference = "__inference_", kForward = "__forward_",
                           kBackward = "__backward_";
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
  constexpr std::string_view kNames[] = {"AllocateOutputBuffersWithInputReuse",
                                         "EagerExecute",
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

bool is_function(std::string_view op) {
  return op.starts_with(kInference) || op.starts_with(kForward);
}

std::string_view without_number(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && last > 0 && name[last] == '_' && last + 1 < name.size()
             ? name.substr(0, last)
             : name;
}

// "f" of "__inference_f_12" and "__forward_f_12". "__backward_f" of "__inference___backward_f_1_2".
std::string_view function_name(std::string_view op) {
  op.remove_prefix(op.starts_with(kForward) ? kForward.size() : kInference.size());
  const std::string_view name = without_number(op);
  return name.starts_with(kBackward) ? without_number(name) : name;
}

EventKind call_of(std::string_view function) {
  return {.kind = SpanKind::dispatch, .name = function_name(function), .is_twofold = true};
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
  if (const std::string_view function = called_function(name); !function.empty())
    return call_of(function);
  if (name.starts_with(kEagerOp)) return {SpanKind::op, name.substr(kEagerOp.size())};
  if (name.starts_with(kJaxCall) && name.ends_with(')')) {
    name.remove_prefix(kJaxCall.size());
    name.remove_suffix(1);
    return {.kind = SpanKind::dispatch, .name = name, .is_twofold = true};
  }
  if (is_op(name, display_name)) {
    if (is_function(display_name)) return call_of(display_name);  // compiled by XLA
    const std::string_view op = name.substr(0, name.size() - display_name.size() - 1);
    return {is_gradient(op) ? SpanKind::backward : SpanKind::op, display_name, op};
  }
  return {.kind = SpanKind::scope, .name = shown, .is_runtime = is_runtime(name)};
}

std::string_view called_function(std::string_view name) {
  if (!name.starts_with(kEagerOp)) return {};
  name.remove_prefix(kEagerOp.size());
  return is_function(name) ? name : std::string_view();
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
