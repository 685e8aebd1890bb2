#include "collect/torch/op_names.h"

#include "record/collector.h"

namespace laptime::torch {

namespace {

// A program that names its scopes by number must not fill the memory of its own training.
constexpr std::size_t kMaxNames = 1u << 16;

OpName describe(std::string_view text) {
  OpName name{std::string(text), record::intern(text), OpName::Role::op, flop_rule(text)};
  if (text.starts_with("autograd::engine::evaluate_function"))
    name.role = OpName::Role::evaluates_node;
  else if (text.find("::") == std::string_view::npos)
    name.role = OpName::Role::python_function;
  return name;
}

}  // namespace

OpNames::OpNames() : other_{"", record::intern("(other names)"), OpName::Role::op, FlopRule::none} {}

const OpName* OpNames::add(const char* text) {
  if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
  if (names_.size() == kMaxNames) return &other_;
  const OpName& name = names_.emplace_back(describe(text));
  by_text_.emplace(name.text, &name);
  return &name;
}

}  // namespace laptime::torch
