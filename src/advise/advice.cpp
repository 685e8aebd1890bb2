#include "advise/advice.h"

#include <algorithm>

#include "advise/rules.h"

namespace laptime {

namespace {

constexpr double kMoreThanAll = 1.05;  // with room for what times are off

bool is_worth_saying(const Finding& finding) { return !finding.gain || finding.gain->expected() >= kLeastGain; }

const char* confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::low: return "low";
    case Confidence::medium: return "medium";
    case Confidence::high: return "high";
  }
  return "";
}

bool same_line(const Finding& a, const Finding& b) { return !a.file.empty() && a.file == b.file && a.line == b.line; }

// Together they take more than all Python of a step: one runs within the other.
bool overlap(const Finding& a, const Finding& b, double python) { return a.share && b.share && *a.share + *b.share > kMoreThanAll * python; }

// The rule about any line of Python gives way to one that knows what the line, or the one that called it, does.
void drop_repeated(const Evidence& evidence, std::vector<Advice>& all) {
  const double python = evidence.share(evidence.host(HostCategory::rest).ns);
  const auto repeats = [&](const Finding& general, const Advice& other) {
    return other.rule != &kPythonLine && (same_line(other.finding, general) || (other.rule == &kReload && overlap(other.finding, general, python)));
  };
  std::vector<Advice> kept;
  for (const Advice& advice : all)
    if (advice.rule != &kPythonLine || std::none_of(all.begin(), all.end(), [&](const Advice& other) { return repeats(advice.finding, other); }))
      kept.push_back(advice);
  all = std::move(kept);
}

double weight(const Advice& advice) { return advice.finding.gain ? advice.finding.gain->expected() : 0; }

Row make_row(const Advice& advice) {
  const Finding& f = advice.finding;
  return {advice.rule->name,
          f.file.empty() ? kUnknown : Cell(f.file),
          f.file.empty() || f.line == 0 ? kUnknown : integer_cell(f.line),
          f.share ? Cell(*f.share) : kUnknown,
          f.gain ? Cell(f.gain->gain_low) : kUnknown,
          f.gain ? Cell(f.gain->gain_high) : kUnknown,
          confidence_name(f.confidence),
          f.message,
          f.fix};
}

}  // namespace

std::vector<Advice> advise(const Analysis& analysis) {
  const Evidence evidence(analysis);
  std::vector<Advice> all;
  if (evidence.thin()) return all;
  for (const Rule* rule : all_rules()) {
    for (Finding& finding : rule->find(evidence)) {
      if (finding.changes) finding.gain = evidence.replayed(*finding.changes);
      if (finding.gain && finding.gain->gain_low < 1) finding.confidence = Confidence::low;
      if (is_worth_saying(finding)) all.push_back({rule, std::move(finding)});
    }
  }
  drop_repeated(evidence, all);
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) { return weight(a) > weight(b); });
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
               {"fix", ColumnType::text}},
              {}};
  for (const Advice& advice : advise(analysis)) table.rows.push_back(make_row(advice));
  return table;
}

}  // namespace laptime
