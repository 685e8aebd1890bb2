#include "collect/torch/input_texts.h"

#include <algorithm>

#include "record/collector.h"

namespace laptime::torch {

namespace {

std::uint64_t hash_of(Numbers words, FlopRule rule) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(rule);
  for (const std::int64_t word : words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

InputFacts InputTexts::find(Numbers words, FlopRule rule) {
  const std::uint64_t hash = hash_of(words, rule);
  Entry& entry = entries_[hash % kEntries];
  if (entry.hash == hash && entry.rule == rule && std::equal(words.begin(), words.end(), entry.words.begin(), entry.words.end())) [[likely]]
    return entry.facts;
  const OpInputs inputs(words);
  entry = {hash, rule, {words.begin(), words.end()},
           {record::intern(shapes_text(inputs)), record::intern(types_text(inputs)), flops(rule, inputs)}};
  return entry.facts;
}

}  // namespace laptime::torch
