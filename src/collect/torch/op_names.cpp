#include "collect/torch/op_names.h"

#include <algorithm>

#include "collect/torch/flops.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

// A program that names its scopes by number must not fill the memory of its own training.
constexpr std::size_t kMaxNames = 1u << 14;

std::uint32_t bits_of(std::string_view text) {
  if (text.starts_with("autograd::engine::evaluate_function")) return OpTraits::kBackward;
  // No namespace, as torch.autograd.Function's: may run lines of the user's inside.
  return text.find("::") == std::string_view::npos ? 0 : OpTraits::kContainsOps;
}

}  // namespace

OpName describe_name(const std::string& text, std::uint32_t id) {
  OpName name;
  const std::size_t compared = std::min(text.size() + 1, OpName::kShort);
  std::copy_n(text.c_str(), compared, name.beginning);
  name.compared = compared == OpName::kShort ? ~0u : (1u << compared) - 1;
  if (text.size() >= OpName::kShort) name.rest = text.c_str() + OpName::kShort;
  name.facts.traits = OpTraits::pack(bits_of(text), flop_rule(text));
  name.facts.tail = OpTail{id, 0, (name.facts.traits & OpTraits::kBackward) != 0 ? SpanKind::backward : SpanKind::op, UnitType::op}.word();
  return name;
}

const OpName* OpNames::find(const char* text) {
  if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
  if (kept_.size() == kMaxNames) {
    past_limit_ = describe_name(text, record::intern(text));
    past_limit_.compared = 0;
    return &past_limit_;
  }
  Kept& kept = kept_.emplace_back(Kept{text, {}});
  kept.name = describe_name(kept.text, record::intern(text));
  by_text_.emplace(kept.text, &kept.name);
  return &kept.name;
}

}  // namespace laptime::torch
