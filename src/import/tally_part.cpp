#include "import/tally_part.h"

#include <cmath>

#include "format/names.h"
#include "format/part.h"

namespace laptime {

namespace {

constexpr std::uint32_t kMaxCodes =
    1u << 23;                        // a run's ids end at twice that, and a code has two texts
constexpr double kMaxSeconds = 1e9;  // 30 years

// Estimates for the budget: vectors while they grow, hash tables, and encoded bytes.
constexpr std::uint64_t kBytesOfRow = 96, kBytesOfCode = 192, kBytesOfText = 160;

}  // namespace

std::uint32_t TallyPart::text(std::string_view text) {
  const auto [it, is_new] = texts_.try_emplace(text, static_cast<std::uint32_t>(texts_.size() + 1));
  if (is_new) {
    budget_->take(kBytesOfText + text.size());
    facts_.push_back(StringFact{it->second, text});
  }
  return it->second;
}

Result<std::uint32_t> TallyPart::code(const CodeLabel& label) {
  const std::uint32_t file = text(label.file), name = text(label.name);
  const auto [it, is_new] = codes_.try_emplace({file, label.first_line, name},
                                               static_cast<std::uint32_t>(codes_.size() + 1));
  if (codes_.size() >= kMaxCodes)
    return fail(ErrorKind::bad_file, "names more functions than a run can hold");
  if (is_new) {
    const bool builtin = label.file == "~";
    budget_->take(kBytesOfCode);
    facts_.push_back(
        CodeFact{it->second, file, name, label.first_line, builtin ? kCodeBuiltin : 0u});
  }
  if (budget_->exceeded()) return budget_->refusal();
  return it->second;
}

std::uint64_t TallyPart::nanoseconds(double seconds) {
  if (seconds >= 0 && seconds < kMaxSeconds)
    return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
  ++impossible_times_;
  return 0;
}

Status TallyPart::add(TallyKind kind, std::uint32_t code, std::uint32_t where,
                      const ImportedCounts& counts) {
  if (!budget_->take(kBytesOfRow)) return budget_->refusal();
  tallies_.kind.push_back(kind);
  tallies_.step.push_back(0);
  tallies_.code.push_back(code);
  tallies_.where.push_back(where);
  tallies_.hits.push_back(counts.hits);
  tallies_.inclusive.push_back(nanoseconds(counts.inclusive_s));
  tallies_.exclusive.push_back(nanoseconds(counts.exclusive_s));
  tallies_.extra_hits.push_back(counts.primitive);
  tallies_.extra_ns.push_back(0);
  return {};
}

Status TallyPart::add_source(std::string_view file, std::string_view content) {
  if (content.size() > kMaxSourceText) {
    add_warning(kSourceLeftOut, Severity::warning, 1, kSourceLeftOutMessage);
    return {};
  }
  if (!budget_->take(2 * content.size() + kBytesOfText)) return budget_->refusal();
  facts_.push_back(sources_.emplace_back(pack_source(content)).fact(text(file)));
  return {};
}

void TallyPart::add_warning(std::string_view name, Severity severity, std::uint64_t count,
                            std::string_view message) {
  if (count > 0) facts_.push_back(WarningFact{warnings_++, severity, count, name, message});
}

Status TallyPart::write(LapWriter& writer, std::string_view file) {
  add_warning("impossible_times", Severity::warning, impossible_times_,
              "negative or senseless times in the imported file were set to 0");
  facts_.push_back(TrackFact{kFirstThreadTrack, TrackKind::thread, 0, text(file)});
  add_property(property::kImportedFrom, file);
  const std::uint32_t part = writer.add_part();
  RETURN_IF_ERROR(writer.add_facts(part, facts_));
  return writer.add_rows(part, kFirstThreadTrack, tallies_);
}

}  // namespace laptime
