#include "collect/torch/input_texts.h"

#include "record/collector.h"
#include "record/names.h"

namespace laptime::torch {

void warn_too_many_inputs() {
  static const std::uint32_t lost =
      record::warning_index("too_many_inputs", Severity::warning,
                            "ops past the limit of different inputs have no shapes");
  record::warn(lost);
}

std::uint16_t add_inputs(const OpInputs& inputs, FlopRule rule) {
  const std::uint64_t count = flops(rule, inputs);
  const record::Arg args[] = {
      {ArgKey::shapes, ArgType::string, record::intern(shapes_text(inputs, record::kLongestName))},
      {ArgKey::types, ArgType::string, record::intern(types_text(inputs, record::kLongestName))},
      {ArgKey::flops, ArgType::integer, count}};
  const std::uint16_t id = record::add_args(args, count != 0 ? 3 : 2);
  if (id == 0) warn_too_many_inputs();
  return id;
}

}  // namespace laptime::torch
