#include "trace/run/part_facts.h"

#include "format/sources/source_text.h"

namespace laptime {

namespace {

constexpr std::uint32_t kMaxId = 1u << 24;

Property owned(const PropertyValue& value) {
  if (const auto* const text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<double>(value);
}

struct FirstPass {
  PartFacts& facts;
  Run& run;
  ReadBudget& budget;

  void operator()(const StringFact& fact) {
    facts.names.set(fact.id, run.strings.add(fact.text), budget);
  }
  void operator()(const TrackFact& fact) { facts.tracks.insert_or_assign(fact.id, fact); }
  void operator()(const PropertyFact& fact) {
    facts.properties.insert_or_assign(std::string(fact.key), owned(fact.value));
  }
  void operator()(const DevicePropertyFact& fact) {
    facts.devices[fact.device].insert_or_assign(std::string(fact.key), owned(fact.value));
  }
  void operator()(const DeviceFact&) {}
  void operator()(const ClockFact& fact) { facts.clock.push_back(fact); }
  void operator()(const WarningFact&) {}
  void operator()(const CodeFact&) {}
  void operator()(const CallSiteFact&) {}
  void operator()(const ArgsFact&) {}
  void operator()(const CallFrameFact&) {}
  void operator()(const SourceFact&) {}
  void operator()(const LaunchConfigFact& fact) {
    facts.launch_configs.set(fact.id, run.launch_configs.add(fact.config), budget);
  }
};

// Codes name strings, which may stand after them; a later fact about the same code replaces the
// earlier.
void read_code(const CodeFact& fact, PartFacts& facts, Run& run, ReadBudget& budget) {
  const Code code{facts.names[fact.file], facts.names[fact.name], fact.first_line, fact.flags};
  if (const std::uint32_t row = facts.codes[fact.id])
    run.codes[row] = code;
  else if (facts.codes.set(fact.id, static_cast<std::uint32_t>(run.codes.size()), budget))
    run.codes.push_back(code);
}

// A caller stands before those it calls; a file where one does not has a frame without a caller,
// and no circle.
void read_frame(const CallFrameFact& fact, PartFacts& facts, Run& run, ReadBudget& budget) {
  const CallFrame frame{facts.frames[fact.caller], facts.codes[fact.code], fact.line};
  if (facts.frames.set(fact.id, static_cast<std::uint32_t>(run.call_frames.size()), budget))
    run.call_frames.push_back(frame);
}

// Call sites name codes and strings, which may stand after them.
void read_call_site(const CallSiteFact& fact, PartFacts& facts, Run& run, ReadBudget& budget) {
  if (facts.call_sites.set(fact.id, static_cast<std::uint32_t>(run.call_sites.size()), budget))
    run.call_sites.push_back(
        {facts.codes[fact.code], fact.line, facts.names[fact.module], facts.frames[fact.frame]});
}

// Files name strings, which may stand after them. Processes that recorded different texts of a
// file: the first one's is shown.
void read_source(const SourceFact& fact, const PartFacts& facts, Run& run) {
  const std::string_view file = run.strings[facts.names[fact.file]];
  if (!file.empty() && fact.raw_size <= kMaxSourceText)
    run.sources.try_emplace(std::string(file), SourceText{fact.raw_size, std::string(fact.stored)});
}

}  // namespace

bool IdMap::set(std::uint32_t id, std::uint32_t to, ReadBudget& budget) {
  if (id >= kMaxId) return false;
  if (id >= ids_.size()) {
    if (!budget.take((id + 1 - ids_.size()) * sizeof(std::uint32_t))) return false;
    ids_.resize(id + 1, 0);
  }
  ids_[id] = to;
  return true;
}

PartFacts read_facts(const PartContent& part, Run& run, ReadBudget& budget) {
  PartFacts facts;
  for (const Fact& fact : part.facts) std::visit(FirstPass{facts, run, budget}, fact);
  for (const Fact& fact : part.facts)
    if (const auto* device = std::get_if<DeviceFact>(&fact))
      if (const std::uint32_t name = facts.names[device->name])
        run.devices.try_emplace(name, device->device);
  for (const Fact& fact : part.facts)
    if (const auto* code = std::get_if<CodeFact>(&fact)) read_code(*code, facts, run, budget);
  for (const Fact& fact : part.facts)
    if (const auto* frame = std::get_if<CallFrameFact>(&fact))
      read_frame(*frame, facts, run, budget);
  for (const Fact& fact : part.facts)
    if (const auto* call_site = std::get_if<CallSiteFact>(&fact))
      read_call_site(*call_site, facts, run, budget);
  for (const Fact& fact : part.facts)
    if (const auto* source = std::get_if<SourceFact>(&fact)) read_source(*source, facts, run);
  return facts;
}

}  // namespace laptime
