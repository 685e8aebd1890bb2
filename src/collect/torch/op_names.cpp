#include "collect/torch/op_names.h"

#include "collect/torch/flops.h"

namespace laptime::torch {

namespace {

std::uint32_t bits_of(std::string_view text) {
  if (text.starts_with("autograd::engine::evaluate_function")) return OpTraits::kBackward;
  // No namespace, like the names of torch.autograd.Function: it may run the user's lines inside.
  return text.find("::") == std::string_view::npos ? 0 : OpTraits::kContainsOps;
}

}  // namespace

OpFacts describe_name(std::string_view text, std::uint32_t id) {
  const std::uint32_t traits = OpTraits::pack(bits_of(text), flop_rule(text));
  const SpanKind kind = (traits & OpTraits::kBackward) != 0 ? SpanKind::backward : SpanKind::op;
  return {OpTail{id, 0, kind, RecordType::op}.word(), traits};
}

}  // namespace laptime::torch
