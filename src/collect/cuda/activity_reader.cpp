#include "collect/cuda/activity_reader.h"

#include <cstdio>
#include <cstring>

#include "collect/cuda/gpu_losses.h"
#include "collect/cuda/kernel_places.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

constexpr std::size_t kMostConfigurations = 1u << 16;
constexpr std::size_t kLongestKernelName = 4096;

const char* memory_name(std::uint32_t kind) {
  constexpr const char* kNames[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                    "Array",   "Managed",  "Device Static", "Managed Static"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

const char* direction_name(std::uint32_t kind) {
  constexpr const char* kNames[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                    "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

template <typename Copy>
std::uint32_t copy_name(const Copy& c) {
  char name[96];
  std::snprintf(name, sizeof name, "Memcpy %s (%s -> %s)%s", direction_name(c.copy_kind),
                memory_name(c.source_kind), memory_name(c.target_kind),
                c.flags & kMemcpyAsync ? "" : " blocking");
  return record::intern(name);
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
  if (bad_times_) lose(kBadTimes, bad_times_);
  if (malformed_) lose(kMalformed, malformed_);
  if (unnamed_configurations_) lose(kConfigurations, unnamed_configurations_);
  if (incomplete_) lose(kUnanswered, incomplete_);
  bad_times_ = malformed_ = unnamed_configurations_ = incomplete_ = 0;
}

void ActivityReader::begin_recording() {
  if (const std::uint64_t version = KernelPlaces::get().version(); version != places_version_) {
    places_version_ = version;
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
  const std::uint32_t shape = configuration(k);
  const KnownName& name = kernel_name(k.name);
  put({k.start, k.end, k.device, k.context, k.stream, k.correlation, k.graph_node}, name.id,
      SpanKind::kernel, ArgType::string, shape, name.place);
}

void ActivityReader::take(const ActivityMemcpy& c) {
  put({c.start, c.end, c.device, c.context, c.stream, c.correlation, c.graph_node}, copy_name(c),
      SpanKind::copy, ArgType::integer, c.bytes);
}

void ActivityReader::take(const ActivityPeerCopy& c) {
  put({c.start, c.end, c.device, c.context, c.stream, c.correlation, c.graph_node}, copy_name(c),
      SpanKind::copy, ArgType::integer, c.bytes);
}

void ActivityReader::take(const ActivityMemset& f) {
  char name[64];
  std::snprintf(name, sizeof name, "Memset (%s)", memory_name(f.memory_kind));
  put({f.start, f.end, f.device, f.context, f.stream, f.correlation, f.graph_node},
      record::intern(name), SpanKind::fill, ArgType::integer, f.bytes);
}

void ActivityReader::put(const Work& work, std::uint32_t name, SpanKind kind, ArgType type,
                         std::uint64_t own, std::uint32_t place) {
  static const std::uint32_t graph_node_key = record::intern("graph_node");
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
  record::Arg args[3];
  std::uint32_t count = 0;
  if (place != 0) args[count++] = {0, ArgType::place, place};
  if (type != ArgType::string || own != 0) args[count++] = {0, type, own};
  if (work.graph_node != 0)
    args[count++] = {graph_node_key, ArgType::integer, GraphNodeLink::pack(work.graph_node)};
  record::put_span(span, args, count);
  records_.fetch_add(1, std::memory_order_relaxed);
}

// Streams of two contexts on one device may have the same number: they stay apart, under one name.
std::uint16_t ActivityReader::track(const Work& work) {
  const auto [it, is_new] = tracks_.try_emplace({work.device, work.context, work.stream}, 0);
  if (!is_new) return it->second;
  char name[64];
  std::snprintf(name, sizeof name, "GPU %u stream %u", work.device, work.stream);
  it->second = record::add_track(TrackKind::stream,
                                 static_cast<std::uint64_t>(work.device) << 32 | work.stream, name);
  return it->second;
}

// Names come as pointers into loaded modules; the same address may hold another name after a module
// was unloaded.
const ActivityReader::KnownName& ActivityReader::kernel_name(const char* name) {
  if (!name) name = "?";
  KnownName& known = names_[(reinterpret_cast<std::uintptr_t>(name) >> 4 ^
                             reinterpret_cast<std::uintptr_t>(name) >> 13) %
                            names_.size()];
  if (known.address == name && known.id != 0 && known.text == name) return known;
  const std::string_view text(name, ::strnlen(name, kLongestKernelName));
  known = {name, record::intern(text), KernelPlaces::get().find(text), std::string(text)};
  return known;
}

std::uint32_t ActivityReader::configuration(const ActivityKernel& k) {
  const Configuration key{k.grid[0],  k.grid[1],   k.grid[2],       k.block[0],      k.block[1],
                          k.block[2], k.registers, k.static_shared, k.dynamic_shared};
  if (const auto it = configurations_.find(key); it != configurations_.end()) return it->second;
  if (configurations_.size() == kMostConfigurations) {
    ++unnamed_configurations_;
    return 0;
  }
  char text[160];
  std::snprintf(text, sizeof text, "%d,%d,%d;%d,%d,%d;%d;%d;%d", key[0], key[1], key[2], key[3],
                key[4], key[5], key[6], key[7], key[8]);
  return configurations_.emplace(key, record::intern(text)).first->second;
}

}  // namespace laptime::cuda
