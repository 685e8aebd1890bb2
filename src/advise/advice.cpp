#include "advise/advice.h"

#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr double kMoreThanAll = 1.05;  // allows for inexact times

bool is_worth_reporting(const Finding& finding) {
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

// Two lines that take more than all Python of a step must contain each other.
bool overlap(const Finding& a, const Finding& b, double python) {
  return a.share && b.share && *a.share + *b.share > kMoreThanAll * python;
}

// Drops findings about any line of Python if a more specific rule covers the line or its caller.
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

// Limits the gain to that of removing everything that the finding covers.
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

// The expected gain, weighted by its certainty.
double weight(const Advice& advice) {
  return advice.finding.gain
             ? (advice.finding.gain->expected() - 1) * certainty(advice.finding.confidence)
             : 0;
}

bool comes_first(const Advice& a, const Advice& b) {
  if (a.rule->meaning != b.rule->meaning) return a.rule->meaning == Meaning::kept;
  return weight(a) > weight(b);
}

struct AdviceRow {
  const Rule& rule;
  const Finding& finding;
  std::optional<double> noise;
};

constexpr ColumnOf<AdviceRow> kAdviceColumns[] = {
    {"rule", "The rule that gives it: `laptime rules RULE` explains it.",
     [](auto& r) { return r.rule.name; }},
    {"file", "Where it is.", [](auto& r) { return known_text(r.finding.file); }},
    {"line", "The line.",
     [](auto& r) {
       return known_if(!r.finding.file.empty() && r.finding.line != 0, r.finding.line);
     }},
    {"share", Unit::share, "The part of a step that it is about.",
     [](auto& r) { return r.finding.share; }},
    {"gain_low", Unit::factor, "The lower end of the gain's interval.",
     [](auto& r) { return r.finding.gain ? std::optional(r.finding.gain->low) : std::nullopt; }},
    {"gain_high", Unit::factor, "The upper end.",
     [](auto& r) { return r.finding.gain ? std::optional(r.finding.gain->high) : std::nullopt; }},
    {"confidence", "`high`, `medium` or `low`.",
     [](auto& r) { return confidence_name(r.finding.confidence); }},
    {"message", "What was seen.", [](auto& r) { return std::string_view(r.finding.message); }},
    {"fix", "What to change.", [](auto& r) { return std::string_view(r.finding.fix); }},
    {"gain", Unit::factor, "The factor by which the step rate is expected to grow.",
     [](auto& r) {
       return r.finding.gain ? std::optional(r.finding.gain->expected()) : std::nullopt;
     }},
    {"gain_bound", Unit::factor, "What arithmetic allows at most: 1 / (1 − share).",
     [](auto& r) { return r.finding.gain ? r.finding.bound : std::nullopt; }},
    {"also_faster", "Why the rest of the step gets faster, too; then there is no bound.",
     [](auto& r) {
       return r.finding.also_faster ? std::optional(r.finding.also_faster) : std::nullopt;
     }},
    {"meaning", "`kept`, or `changed`: batch size, precision.",
     [](auto& r) { return r.rule.meaning == Meaning::kept ? "kept" : "changed"; }},
    {"noise", Unit::share, "By how much two starts of the program differ; not in the interval.",
     [](auto& r) { return r.noise; }}};
constexpr TableOf<AdviceRow> kAdvice{"advice", kAdviceColumns};
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
      if (is_worth_reporting(finding)) all.push_back({rule, std::move(finding)});
    }
  }
  drop_repeated(evidence, all);
  std::stable_sort(all.begin(), all.end(), comes_first);
  return all;
}

Table advice_table(const Analysis& analysis) {
  Table table = kAdvice.empty("Advice");
  const Evidence evidence(analysis);
  const std::vector<Advice> all = advise(evidence);
  const bool any_gain = std::any_of(
      all.begin(), all.end(), [](const Advice& advice) { return advice.finding.gain.has_value(); });
  const std::optional<double> noise = any_gain ? evidence.noise() : std::nullopt;
  if (noise)
    table.title += fmt::format("; starts of this program differ by ± {:.0f} %", 100 * *noise);
  for (const Advice& advice : all) kAdvice.add(table, {*advice.rule, advice.finding, noise});
  return table;
}

constinit const TableDefinition kAdviceTable =
    define_table<kAdvice>("what to change, and what that will bring",
                          R"(
docs/advice.md explains it. Advice that keeps the training's meaning comes first. In each part
the largest gain comes first, weighted by confidence. Gains are unknown for risks. The
confidence:

- `high`: it was measured, and the change removes it;
- `medium`;
- `low`: it was not measured, or the interval begins below 1.)",
                          advice_table);

}  // namespace laptime
