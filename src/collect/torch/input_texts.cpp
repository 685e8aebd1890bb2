#include "collect/torch/input_texts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record/collector.h"

namespace laptime::torch {

namespace {

std::uint64_t hash_of(Numbers words, FlopRule rule) {
  return XXH3_64bits_withSeed(words.data(), words.size_bytes(), static_cast<std::uint64_t>(rule));
}

std::uint16_t tell(const OpInputs& inputs, FlopRule rule) {
  static const std::uint32_t shapes = record::intern("shapes"), types = record::intern("types"), flop = record::intern("flops"),
                             lost = record::loss_index("too_many_inputs", Severity::warning, "ops past the limit of different inputs have no shapes");
  const std::uint64_t count = flops(rule, inputs);
  const record::Arg args[] = {{shapes, ArgType::string, record::intern(shapes_text(inputs))},
                              {types, ArgType::string, record::intern(types_text(inputs))},
                              {flop, ArgType::integer, count}};
  const std::uint16_t told = record::add_args(args, count != 0 ? 3 : 2);
  if (told == 0) record::lose(lost);
  return told;
}

}  // namespace

std::uint16_t InputTexts::find(Numbers words, FlopRule rule) {
  const std::uint64_t hash = hash_of(words, rule);
  Entry& entry = entries_[hash % kEntries];
  if (entry.hash != hash) [[unlikely]] entry = {hash, tell(OpInputs(words), rule)};
  return entry.args;
}

}  // namespace laptime::torch
