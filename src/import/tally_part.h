// One imported file as a part of a run: codes and tallies on one track, without steps and without a
// clock.
//
// Assumption: the given texts stay in place until write(). What a part stores counts in the
// import's budget.
// Contract: impossible numbers (negative, not finite, centuries) become 0, and are counted as a
// warning of the part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "format/sources/source_text.h"
#include "format/writer.h"
#include "import/import_budget.h"

namespace laptime {

struct CodeLabel {
  std::string_view file;
  std::uint32_t first_line;
  std::string_view name;
};

struct ImportedCounts {
  std::uint64_t hits = 0, primitive = 0;
  double inclusive_s = 0, exclusive_s = 0;
};

class TallyPart {
 public:
  explicit TallyPart(ImportBudget& budget) : budget_(&budget) {}

  // Equal labels have equal codes. Fails if there are more than a run or the budget can hold.
  Result<std::uint32_t> code(const CodeLabel& label);
  Status add(TallyKind kind, std::uint32_t code, std::uint32_t where, const ImportedCounts& counts);
  void add_property(std::string_view key, std::string_view value) {
    facts_.push_back(PropertyFact{key, value});
  }
  void add_warning(std::string_view name, Severity severity, std::uint64_t count,
                   std::string_view message);
  // The text of a file with codes.
  Status add_source(std::string_view file, std::string_view text);
  std::size_t rows() const { return tallies_.size(); }

  // `file`: the track's name.
  Status write(LapWriter& writer, std::string_view file);

 private:
  struct CodeKey {
    std::uint32_t file, first_line, name;  // texts by number
    bool operator==(const CodeKey&) const = default;
  };
  struct HashOfCode {
    std::size_t operator()(const CodeKey& key) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(&key), sizeof key});
    }
  };

  std::uint32_t text(std::string_view text);
  std::uint64_t nanoseconds(double seconds);

  ImportBudget* budget_;
  std::vector<Fact> facts_;
  std::deque<PackedSource> sources_;
  std::unordered_map<std::string_view, std::uint32_t> texts_;
  std::unordered_map<CodeKey, std::uint32_t, HashOfCode> codes_;
  TallyColumns tallies_;
  std::uint64_t impossible_times_ = 0;
  std::uint32_t warnings_ = 0;
};

}  // namespace laptime
