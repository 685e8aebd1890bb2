#include "format/sources/stored_sources.h"

#include <map>

#include "format/sources/source_text.h"

namespace laptime {

std::vector<Fact> StoredSources::take(const std::vector<Fact>& facts) {
  std::map<std::uint32_t, std::string_view> files;
  for (const Fact& fact : facts)
    if (const auto* source = std::get_if<SourceFact>(&fact)) files[source->file];
  if (files.empty()) return facts;
  for (const Fact& fact : facts)
    if (const auto* name = std::get_if<StringFact>(&fact))
      if (const auto file = files.find(name->id); file != files.end()) file->second = name->text;
  std::vector<Fact> kept;
  for (const Fact& fact : facts) {
    const auto* source = std::get_if<SourceFact>(&fact);
    if (!source || keeps(files[source->file], source->stored)) kept.push_back(fact);
  }
  return kept;
}

bool StoredSources::keeps(std::string_view file, std::string_view stored) {
  if (known_.contains({std::string(file), stored})) return false;
  if (bytes_ + stored.size() > kMaxStoredSources) {
    ++left_out_;
    return false;
  }
  bytes_ += stored.size();
  known_.emplace(file, stored);
  return true;
}

}  // namespace laptime
