// The recorder's slow facts: names, codes, frames, call sites, shared arguments, warnings, tracks,
// properties.
#include "record/collector.h"
#include "record/recorder.h"

namespace laptime::record {

namespace {

// A program that makes code in a loop must not fill its memory.
constexpr std::size_t kMaxCallSites = 1u << 18, kMaxFrames = 1u << 18;
static_assert(kMaxCallSites <= OpLink::kMaxCallSite);

}  // namespace

std::uint32_t Recorder::intern(std::string_view text) {
  const std::lock_guard lock(facts_);
  const Names::Added added = names_.add(text);
  Recording* const recording = current();
  if (!recording) return added.id;
  if (added.refused)
    recording->part.header().warnings[kWarningNames].fetch_add(1, std::memory_order_relaxed);
  if (added.is_new)
    recording->part.append_facts(
        {StringFact{added.id, added.refused ? "(other names)" : text.substr(0, kLongestName)}});
  return added.id;
}

std::uint32_t Recorder::add_code(std::string_view file, std::string_view name,
                                 std::uint32_t first_line, std::uint32_t flags) {
  const std::uint32_t file_id = intern(file), name_id = intern(name);
  const std::lock_guard lock(facts_);
  const CodeFact code{static_cast<std::uint32_t>(codes_.size() + 1), file_id, name_id, first_line,
                      flags};
  codes_.push_back(code);
  if (known_code_files_.insert(file_id).second) code_files_.push_back(file_id);
  if (Recording* const recording = current()) recording->part.append_facts({code});
  return code.id;
}

void Recorder::set_code_flags(std::uint32_t code, std::uint32_t flags) {
  const std::lock_guard lock(facts_);
  if (code == 0 || code > codes_.size()) return;
  codes_[code - 1].flags = flags;
  if (Recording* const recording = current()) recording->part.append_facts({codes_[code - 1]});
}

const char* Recorder::name_text(std::uint32_t id) noexcept {
  const std::lock_guard lock(facts_);
  return names_.text(id);
}

const char* Recorder::code_file(std::uint32_t index) {
  const std::lock_guard lock(facts_);
  return index < code_files_.size() ? names_.text(code_files_[index]) : nullptr;
}

void Recorder::add_source(std::string_view file, std::string_view text) {
  if (text.size() > kMaxSourceText) return warn_source_left_out();
  const std::uint32_t id = intern(file);
  PackedSource packed = pack_source(text);
  std::unique_lock lock(facts_);
  if (source_bytes_ + packed.stored.size() > kMaxStoredSources) {
    lock.unlock();
    return warn_source_left_out();
  }
  const auto [source, is_new] = sources_.try_emplace(id, std::move(packed));
  if (!is_new) return;
  source_bytes_ += source->second.stored.size();
  if (Recording* const recording = current())
    recording->part.append_facts({source->second.fact(id)});
}

void Recorder::repeat_sources() {
  const std::lock_guard lock(facts_);
  Recording* const recording = current();
  if (!recording) return;
  for (const auto& [id, source] : sources_) recording->part.append_facts({source.fact(id)});
}

void Recorder::warn_source_left_out() {
  static const std::uint32_t warning =
      warning_index(kSourceLeftOut, Severity::warning, kSourceLeftOutMessage);
  record::warn(warning);
}

std::uint32_t Recorder::add_frame(std::uint32_t caller, std::uint32_t code, std::uint32_t line) {
  const std::lock_guard lock(facts_);
  if (const auto known = frame_ids_.find({caller, code, line}); known != frame_ids_.end())
    return known->second;
  if (frames_.size() == kMaxFrames) return 0;
  const CallFrameFact frame{static_cast<std::uint32_t>(frames_.size() + 1), caller, code, line};
  frames_.push_back(frame);
  frame_ids_[{caller, code, line}] = frame.id;
  if (Recording* const recording = current()) recording->part.append_facts({frame});
  return frame.id;
}

std::uint32_t Recorder::add_call_site(const CallSiteFact& call_site) {
  const std::array key{call_site.code, call_site.line, call_site.module, call_site.frame};
  const std::lock_guard lock(facts_);
  if (const auto known = call_site_ids_.find(key); known != call_site_ids_.end())
    return known->second;
  const std::uint32_t id = append_call_site(call_site);
  if (id != 0) call_site_ids_[key] = id;
  return id;
}

std::uint32_t Recorder::new_call_site(const CallSiteFact& call_site) {
  const std::lock_guard lock(facts_);
  return append_call_site(call_site);
}

// Contract: facts_ is held. 0 if there are too many.
std::uint32_t Recorder::append_call_site(CallSiteFact call_site) {
  if (call_sites_.size() == kMaxCallSites) return 0;
  call_site.id = static_cast<std::uint32_t>(call_sites_.size() + 1);
  call_sites_.push_back(call_site);
  if (Recording* const recording = current()) recording->part.append_facts({call_site});
  return call_site.id;
}

void Recorder::set_call_site(std::uint32_t call_site, std::uint32_t code, std::uint32_t line,
                             std::uint32_t module) {
  const std::lock_guard lock(facts_);
  if (call_site == 0 || call_site > call_sites_.size()) return;
  call_sites_[call_site - 1] = {call_site, code, line, module, call_sites_[call_site - 1].frame};
  if (Recording* const recording = current())
    recording->part.append_facts({call_sites_[call_site - 1]});
}

std::uint32_t Recorder::add_launch_config(const LaunchConfig& config) {
  const std::lock_guard lock(facts_);
  const auto [it, is_new] = launch_config_ids_.try_emplace(
      config, static_cast<std::uint32_t>(launch_configs_.size() + 1));
  if (!is_new) return it->second;
  launch_configs_.push_back({it->second, config});
  if (Recording* const recording = current())
    recording->part.append_facts({launch_configs_.back()});
  return it->second;
}

std::uint16_t Recorder::add_args(const Arg* args, std::uint32_t count) {
  ArgsFact fact{0, {}};
  for (const Arg* arg = args; arg != args + count; ++arg)
    fact.args.push_back({arg->key, arg->type, arg->value});
  const std::lock_guard lock(facts_);
  if (const auto known = args_ids_.find(fact.args); known != args_ids_.end()) return known->second;
  if (count == 0 || args_.size() == SharedArgs::kMost) return 0;
  fact.id = static_cast<std::uint32_t>(args_.size() + 1);
  args_ids_[fact.args] = static_cast<std::uint16_t>(fact.id);
  if (Recording* const recording = current()) recording->part.append_facts({fact});
  args_.push_back(std::move(fact));
  return static_cast<std::uint16_t>(args_.size());
}

void Recorder::copy_args(SharedArgs& known) {
  const std::lock_guard lock(facts_);
  for (std::size_t i = known.count(); i < args_.size(); ++i) known.set(args_[i]);
}

std::uint32_t Recorder::warning_index(std::string_view name, Severity severity,
                                      std::string_view message) {
  const std::lock_guard lock(facts_);
  for (std::uint32_t i = 0; i < warnings_.size(); ++i)
    if (warnings_[i].name == name) return i;
  if (warnings_.size() == kMaxWarnings) return kMaxWarnings - 1;
  warnings_.push_back({name, severity, message});
  const auto index = static_cast<std::uint32_t>(warnings_.size() - 1);
  if (Recording* const recording = current())
    recording->part.append_facts({WarningFact{index, severity, 0, name, message}});
  return index;
}

std::uint16_t Recorder::add_track(TrackKind kind, std::uint64_t os_id, std::string_view name) {
  Recording* const recording = current();
  if (!recording) return 0;
  const std::uint32_t track = recording->next_track.fetch_add(1, std::memory_order_relaxed);
  if (track >= kFirstThreadTrack) {
    warn(kWarningTracks);
    return 0;
  }
  recording->part.append_facts({TrackFact{track, kind, os_id, intern(name)}});
  return static_cast<std::uint16_t>(track);
}

void Recorder::set_property(std::string_view key, const PropertyValue& value) {
  if (Recording* const recording = current())
    recording->part.append_facts({PropertyFact{key, value}});
}

void Recorder::set_device_property(Device device, std::string_view key,
                                   const PropertyValue& value) {
  if (Recording* const recording = current())
    recording->part.append_facts({DevicePropertyFact{device, key, value}});
}

std::uint32_t Recorder::add_device(Device device) {
  const std::uint32_t name = intern(device_name(device));
  const std::lock_guard lock(facts_);
  if (Recording* const recording = current();
      devices_.try_emplace(device, name).second && recording)
    recording->part.append_facts({DeviceFact{name, device}});
  return name;
}

}  // namespace laptime::record
