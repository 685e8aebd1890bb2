#include "collect/torch/op_names.h"

#include "collect/torch/flops.h"
#include "format/names.h"

namespace laptime::torch {

namespace {

std::uint32_t bits_of(std::string_view text) {
  if (text.starts_with(span_name::kEvaluateFunction)) return OpTraits::kBackward;
  // No namespace, as torch.autograd.Function's: may run lines of the user's inside.
  return text.find("::") == std::string_view::npos ? 0 : OpTraits::kContainsOps;
}

}  // namespace

OpFacts describe_name(std::string_view text, std::uint32_t id) {
  const std::uint32_t traits = OpTraits::pack(bits_of(text), flop_rule(text));
  const SpanKind kind = (traits & OpTraits::kBackward) != 0 ? SpanKind::backward : SpanKind::op;
  return {OpTail{id, 0, kind, RecordType::op}.word(), traits};
}

}  // namespace laptime::torch
