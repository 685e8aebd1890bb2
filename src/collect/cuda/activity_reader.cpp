#include "collect/cuda/activity_reader.h"

#include <cstdio>
#include <cstring>

#include "collect/cuda/gpu_warnings.h"
#include "collect/cuda/kernel_call_sites.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

constexpr std::size_t kMostConfigurations = 1u << 16;
constexpr std::size_t kLongestKernelName = 4096;
constexpr const char* kBlockingSuffix = " blocking";

template <typename Copy>
CopyInfo copy_info(const Copy& c) {
  return {copy_direction(c.copy_kind), memory_kind(c.source_kind), memory_kind(c.target_kind),
          (c.flags & kMemcpyAsync) == 0};
}

}  // namespace

void ActivityReader::read(std::uint8_t* buffer, std::size_t valid, std::uint32_t generation) {
  const std::lock_guard lock(reading_);
  if (!record::on()) return awaited_.give_up();
  begin_recording();
  generation_ = generation;
  Activity* record = nullptr;
  while (valid > 0 && api_.next_record(buffer, valid, &record) == kSuccess) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(record) - reinterpret_cast<std::uintptr_t>(buffer);
    if (offset >= valid || valid - offset < sizeof *record) {
      ++malformed_;
      break;
    }
    take(*record, valid - offset);
  }
  if (bad_times_) warn(kBadTimes, bad_times_);
  if (malformed_) warn(kMalformed, malformed_);
  if (unnamed_configurations_) warn(kConfigurations, unnamed_configurations_);
  if (incomplete_) warn(kUnanswered, incomplete_);
  bad_times_ = malformed_ = unnamed_configurations_ = incomplete_ = 0;
}

void ActivityReader::begin_recording() {
  if (const std::uint64_t version = KernelCallSites::get().version();
      version != call_sites_version_) {
    call_sites_version_ = version;
    names_.fill({});
  }
  if (epoch_ == record::epoch()) return;
  epoch_ = record::epoch();
  tracks_.clear();
}

void ActivityReader::take(const Activity& record, std::size_t room) {
  const auto take_as = [&](const auto& whole) {
    if (room < sizeof whole)
      ++malformed_;
    else
      take(whole);
  };
  switch (record.kind) {
    case kConcurrentKernel:
      return take_as(reinterpret_cast<const ActivityKernel&>(record));
    case kMemcpy:
      return take_as(reinterpret_cast<const ActivityMemcpy&>(record));
    case kPeerCopy:
      return take_as(reinterpret_cast<const ActivityPeerCopy&>(record));
    case kMemset:
      return take_as(reinterpret_cast<const ActivityMemset&>(record));
    default:
      return;
  }
}

void ActivityReader::take(const ActivityKernel& k) {
  const KnownName& name = kernel_name(k.name);
  Payload payload;
  if (name.call_site != 0) payload.add(ArgKey::call_site, ArgType::call_site, name.call_site);
  if (const std::uint32_t config = launch_config(k))
    payload.add(ArgKey::launch_config, ArgType::launch_config, config);
  put({k.start, k.end, k.device, k.context, k.stream, k.correlation, k.graph_node}, name.id,
      SpanKind::kernel, payload);
}

void ActivityReader::take(const ActivityMemcpy& c) {
  put_copy({c.start, c.end, c.device, c.context, c.stream, c.correlation, c.graph_node},
           copy_info(c), c.bytes);
}

void ActivityReader::take(const ActivityPeerCopy& c) {
  put_copy({c.start, c.end, c.device, c.context, c.stream, c.correlation, c.graph_node},
           copy_info(c), c.bytes);
}

void ActivityReader::take(const ActivityMemset& f) {
  const CopyInfo fill{.target = memory_kind(f.memory_kind)};
  Payload payload;
  payload.add(ArgKey::bytes, ArgType::integer, f.bytes);
  payload.add(ArgKey::copy, ArgType::integer, fill.pack());
  put({f.start, f.end, f.device, f.context, f.stream, f.correlation, f.graph_node},
      record::intern(fill_name(fill.target)), SpanKind::fill, payload);
}

// A viewer of another tool sees only names, so the name of a blocking copy has a suffix.
void ActivityReader::put_copy(const Work& work, const CopyInfo& copy, std::uint64_t bytes) {
  Payload payload;
  payload.add(ArgKey::bytes, ArgType::integer, bytes);
  payload.add(ArgKey::copy, ArgType::integer, copy.pack());
  const std::uint32_t name =
      record::intern(copy_name(copy) + (copy.blocking ? kBlockingSuffix : ""));
  put(work, name, SpanKind::copy, payload);
}

void ActivityReader::put(const Work& work, std::uint32_t name, SpanKind kind, Payload payload) {
  if (work.start == 0 && work.end == 0 && takes_incomplete_.load(std::memory_order_relaxed)) {
    incomplete_ += awaited_.is_awaited(work.correlation) ? 0 : 1;
    return;
  }
  awaited_.done(work.correlation);
  if (work.start == 0 || work.end <= work.start) {
    ++bad_times_;
    return;
  }
  const record::Span span{clock_.to_ticks(work.start),
                          clock_.to_ticks(work.end),
                          name,
                          kind,
                          track(work),
                          LaunchLink::pack(generation_, work.correlation)};
  if (work.graph_node != 0)
    payload.add(ArgKey::graph_node, ArgType::integer, GraphNodeLink::pack(work.graph_node));
  record::put_span(span, payload.args, payload.count);
  records_.fetch_add(1, std::memory_order_relaxed);
}

// Streams of two contexts on one device may have the same number. They get two tracks with one
// name.
std::uint16_t ActivityReader::track(const Work& work) {
  const auto [it, is_new] = tracks_.try_emplace({work.device, work.context, work.stream}, 0);
  if (!is_new) return it->second;
  char name[64];
  std::snprintf(name, sizeof name, "GPU %u stream %u", work.device, work.stream);
  it->second = record::add_track(TrackKind::stream,
                                 static_cast<std::uint64_t>(work.device) << 32 | work.stream, name);
  return it->second;
}

// Names come as pointers into loaded modules. After a module is unloaded, the same address may hold
// another name.
const ActivityReader::KnownName& ActivityReader::kernel_name(const char* name) {
  if (!name) name = "?";
  KnownName& known = names_[(reinterpret_cast<std::uintptr_t>(name) >> 4 ^
                             reinterpret_cast<std::uintptr_t>(name) >> 13) %
                            names_.size()];
  if (known.address == name && known.id != 0 && known.text == name) return known;
  const std::string_view text(name, ::strnlen(name, kLongestKernelName));
  known = {name, record::intern(text), KernelCallSites::get().find(text), std::string(text)};
  return known;
}

std::uint32_t ActivityReader::launch_config(const ActivityKernel& k) {
  const auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  const LaunchConfig config{{number(k.grid[0]), number(k.grid[1]), number(k.grid[2])},
                            {number(k.block[0]), number(k.block[1]), number(k.block[2])},
                            number(k.registers),
                            number(k.static_shared),
                            number(k.dynamic_shared)};
  if (const auto it = configs_.find(config); it != configs_.end()) return it->second;
  if (configs_.size() == kMostConfigurations) {
    ++unnamed_configurations_;
    return 0;
  }
  return configs_.emplace(config, record::add_launch_config(config)).first->second;
}

}  // namespace laptime::cuda
