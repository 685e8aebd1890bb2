#include "trace/code/code_merge.h"

#include <map>
#include <tuple>

namespace laptime {

MergedCodes::MergedCodes(const Run& run) : flags_(run.codes.size()) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> places;
  for (std::uint32_t i = 0; i < run.codes.size(); ++i) {
    const Code& code = run.codes[i];
    first_.push_back(places.try_emplace({code.file, code.first_line, code.name}, i).first->second);
    flags_[first_.back()] |= code.flags;
  }
}

}  // namespace laptime
