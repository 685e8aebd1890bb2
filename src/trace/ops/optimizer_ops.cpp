#include "trace/ops/optimizer_ops.h"

#include <algorithm>
#include <string>

#include "format/names.h"

namespace laptime {

namespace {

// Keras names an optimizer's scope after its class.
constexpr std::string_view kScopes[] = {
    "adadelta", "adafactor", "adagrad",   "adam",    "adamax",
    "adamw",    "ftrl",      "lamb",      "lion",    "loss_scale_optimizer",
    "muon",     "nadam",     "optimizer", "rmsprop", "sgd"};

// "SGD_1" is "sgd".
std::string plain_scope(std::string_view scope) {
  const std::size_t last = scope.find_last_not_of("0123456789");
  if (last != std::string_view::npos && scope[last] == '_') scope = scope.substr(0, last);
  std::string plain(scope);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return plain;
}

}  // namespace

bool is_optimizer_type(std::string_view type) {
  return type.starts_with("ResourceApply") || type.starts_with("ResourceSparseApply");
}

bool has_optimizer_scope(std::string_view full_name) {
  for (std::size_t slash; (slash = full_name.find('/')) != std::string_view::npos;
       full_name.remove_prefix(slash + 1))
    if (std::find(std::begin(kScopes), std::end(kScopes),
                  plain_scope(full_name.substr(0, slash))) != std::end(kScopes))
      return true;
  return false;
}

OptimizerOps::OptimizerOps(const StringTable& strings)
    : full_name_key_(strings.find(arg_name::kOp)), types_(strings.size()) {
  for (std::uint32_t id = 0; id < strings.size(); ++id) types_[id] = is_optimizer_type(strings[id]);
  if (full_name_key_ == StringTable::kNoString) return;
  full_names_.resize(strings.size());
  for (std::uint32_t id = 0; id < strings.size(); ++id)
    full_names_[id] = has_optimizer_scope(strings[id]);
}

std::vector<bool> OptimizerOps::find(const Spans& spans) const {
  std::vector<bool> found;
  const auto add = [&](std::uint32_t row) {
    if (spans.kind[row] != SpanKind::op) return;
    if (found.empty()) found.resize(spans.size());
    found[row] = true;
  };
  for (std::uint32_t row = 0; row < spans.size(); ++row)
    if (types_[spans.name[row]]) add(row);
  const ArgColumns& args = spans.args;
  for (std::size_t i = 0; i < args.size() && !full_names_.empty(); ++i)
    if (string_of(args.key[i]) == full_name_key_ && args.type[i] == ArgType::string &&
        full_names_[args.value[i]])
      add(args.row[i]);
  return found;
}

}  // namespace laptime
