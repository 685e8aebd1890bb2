#include "advise/advice.h"

#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr double kMoreThanAll = 1.05;  // with room for what times are off

bool is_worth_saying(const Finding& finding) {
  return !finding.gain || finding.gain->expected() >= kLeastGain;
}

const char* confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::low:
      return "low";
    case Confidence::medium:
      return "medium";
    case Confidence::high:
      return "high";
  }
  return "";
}

bool same_line(const Finding& a, const Finding& b) {
  return !a.file.empty() && a.file == b.file && a.line == b.line;
}

// Together they take more than all Python of a step: one runs within the other.
bool overlap(const Finding& a, const Finding& b, double python) {
  return a.share && b.share && *a.share + *b.share > kMoreThanAll * python;
}

// The rule about any line of Python gives way to one that knows what the line, or the one that
// called it, does.
void drop_repeated(const Evidence& evidence, std::vector<Advice>& all) {
  const double python = evidence.share(evidence.host(HostCategory::rest).ns);
  const auto repeats = [&](const Finding& general, const Advice& other) {
    return other.rule != &kPythonLine &&
           (same_line(other.finding, general) ||
            (other.rule == &kReload && overlap(other.finding, general, python)));
  };
  std::vector<Advice> kept;
  for (const Advice& advice : all)
    if (advice.rule != &kPythonLine ||
        std::none_of(all.begin(), all.end(),
                     [&](const Advice& other) { return repeats(advice.finding, other); }))
      kept.push_back(advice);
  all = std::move(kept);
}

// No gain is larger than what removing all that the finding is about brings.
void limit(Finding& finding) {
  if (finding.also_faster || !finding.gain) return;
  if (!finding.bound && finding.share && *finding.share < 1)
    finding.bound = 1 / (1 - *finding.share);
  if (!finding.bound) return;
  Gain& gain = *finding.gain;
  gain.low = std::min(gain.low, *finding.bound);
  gain.high = std::min(gain.high, *finding.bound);
  if (gain.likely) gain.likely = std::min(*gain.likely, *finding.bound);
}

double certainty(Confidence confidence) {
  switch (confidence) {
    case Confidence::low:
      return 0.5;
    case Confidence::medium:
      return 0.8;
    case Confidence::high:
      return 1;
  }
  return 0;
}

// What is to be expected of it, counting how sure that is.
double weight(const Advice& advice) {
  return advice.finding.gain
             ? (advice.finding.gain->expected() - 1) * certainty(advice.finding.confidence)
             : 0;
}

bool comes_first(const Advice& a, const Advice& b) {
  if (a.rule->meaning != b.rule->meaning) return a.rule->meaning == Meaning::kept;
  return weight(a) > weight(b);
}

Row make_row(const Advice& advice, std::optional<double> noise) {
  const Finding& f = advice.finding;
  return {advice.rule->name,
          f.file.empty() ? kUnknown : Cell(f.file),
          f.file.empty() || f.line == 0 ? kUnknown : integer_cell(f.line),
          f.share ? Cell(*f.share) : kUnknown,
          f.gain ? Cell(f.gain->low) : kUnknown,
          f.gain ? Cell(f.gain->high) : kUnknown,
          confidence_name(f.confidence),
          f.message,
          f.fix,
          f.gain ? Cell(f.gain->expected()) : kUnknown,
          f.gain && f.bound ? Cell(*f.bound) : kUnknown,
          f.also_faster ? Cell(f.also_faster) : kUnknown,
          advice.rule->meaning == Meaning::kept ? "kept" : "changed",
          noise ? Cell(*noise) : kUnknown};
}

}  // namespace

std::vector<Advice> advise(const Analysis& analysis) { return advise(Evidence(analysis)); }

std::vector<Advice> advise(const Evidence& evidence) {
  std::vector<Advice> all;
  if (evidence.thin()) return all;
  for (const Rule* rule : all_rules()) {
    for (Finding& finding : rule->find(evidence)) {
      if (finding.changes) finding.gain = evidence.replayed(*finding.changes);
      limit(finding);
      finding.fix = in_makers_words(evidence.settings(), std::move(finding.fix));
      if (finding.gain && finding.gain->low < 1) finding.confidence = Confidence::low;
      if (is_worth_saying(finding)) all.push_back({rule, std::move(finding)});
    }
  }
  drop_repeated(evidence, all);
  std::stable_sort(all.begin(), all.end(), comes_first);
  return all;
}

Table advice_table(const Analysis& analysis) {
  Table table{"advice",
              "Advice",
              {{"rule", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"share", ColumnType::real, Unit::share},
               {"gain_low", ColumnType::real, Unit::factor},
               {"gain_high", ColumnType::real, Unit::factor},
               {"confidence", ColumnType::text},
               {"message", ColumnType::text},
               {"fix", ColumnType::text},
               {"gain", ColumnType::real, Unit::factor},
               {"gain_bound", ColumnType::real, Unit::factor},
               {"also_faster", ColumnType::text},
               {"meaning", ColumnType::text},
               {"noise", ColumnType::real, Unit::share}},
              {}};
  const Evidence evidence(analysis);
  const std::vector<Advice> all = advise(evidence);
  const bool any_gain = std::any_of(
      all.begin(), all.end(), [](const Advice& advice) { return advice.finding.gain.has_value(); });
  const std::optional<double> noise = any_gain ? evidence.noise() : std::nullopt;
  if (noise)
    table.title += fmt::format("; starts of this program differ by ± {:.0f} %", 100 * *noise);
  for (const Advice& advice : all) table.rows.push_back(make_row(advice, noise));
  return table;
}

}  // namespace laptime
