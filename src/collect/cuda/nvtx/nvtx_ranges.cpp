#include "collect/cuda/nvtx/nvtx_ranges.h"

#include <array>
#include <atomic>
#include <cstring>

#include "base/clock.h"
#include "collect/cuda/nvtx/xla_call_sites.h"
#include "record/collector.h"

namespace laptime::nvtx {

namespace {

constexpr int kNotTracked = -2;  // NVTX's value for a pop without a push

void warn_range() {
  static const std::uint32_t warning = record::warning_index(
      "nvtx_ranges", Severity::warning, "NVTX ranges left out: too many open at once");
  record::warn(warning);
}

struct OpenRange {
  std::uint64_t domain, start;
  RangeName name;
};
constexpr int kMostOpen = 128;
struct Thread {
  std::array<OpenRange, kMostOpen> open;
  int depth;     // of kept ranges
  int too_deep;  // pushed beyond the depth: their pops come first
};
thread_local Thread thread;

struct KnownName {
  static constexpr std::size_t kLongest = 47;
  RangeName name;
  std::uint8_t length;
  char text[kLongest];
};
thread_local std::array<KnownName, 64> known_names;

std::size_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Ranges from start to end, possibly on two threads. A new range whose slot is still taken is left
// out.
struct ProcessRange {
  std::atomic<std::uint64_t> id{0};
  std::uint64_t start = 0;
  std::uint32_t name = 0;
};
std::array<ProcessRange, 1024> process_ranges;
std::atomic<std::uint64_t> next_range{1};

std::uint16_t ranges_track() {
  static std::atomic<std::uint64_t> known{0};  // epoch and track
  const std::uint64_t now = known.load(std::memory_order_acquire), epoch = record::epoch();
  if (now >> 16 == epoch) return static_cast<std::uint16_t>(now);
  const std::uint16_t track = record::add_track(TrackKind::device, 0, "NVTX ranges");
  known.store(epoch << 16 | track, std::memory_order_release);
  return track;
}

}  // namespace

namespace {

RangeName learn(std::string_view text) {
  const std::uint32_t id = record::intern(text);
  return {id, cuda::XlaCallSites::get().know_range(id, text)};
}

}  // namespace

RangeName name_of(std::string_view text) {
  if (text.size() > KnownName::kLongest) return learn(text);
  KnownName& known = known_names[hash_of(text) % known_names.size()];
  if (known.name.id == 0 || known.length != text.size() ||
      std::memcmp(known.text, text.data(), text.size()) != 0) {
    known.name = learn(text);
    known.length = static_cast<std::uint8_t>(text.size());
    std::memcpy(known.text, text.data(), text.size());
  }
  return known.name;
}

int push(std::uint64_t domain, RangeName name) {
  if (thread.depth == kMostOpen) {
    warn_range();
    return kMostOpen + thread.too_deep++;
  }
  thread.open[static_cast<std::size_t>(thread.depth)] = {domain, ticks(), name};
  return thread.depth++;
}

int pop(std::uint64_t domain) {
  if (thread.too_deep > 0) return kMostOpen + --thread.too_deep;
  for (int at = thread.depth - 1; at >= 0; --at) {
    const OpenRange range = thread.open[static_cast<std::size_t>(at)];
    if (range.domain != domain) continue;
    if (record::on()) record::put_span({range.start, ticks(), range.name.id});
    for (int above = at + 1; above < thread.depth; ++above)
      thread.open[static_cast<std::size_t>(above - 1)] =
          thread.open[static_cast<std::size_t>(above)];
    --thread.depth;
    return at;
  }
  return kNotTracked;
}

void mark(RangeName name) {
  const std::uint64_t now = ticks();
  if (record::on()) record::put_span({now, now, name.id});
}

std::uint64_t start(RangeName name) {
  const std::uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  ProcessRange& range = process_ranges[id % process_ranges.size()];
  std::uint64_t free = 0;
  if (!range.id.compare_exchange_strong(free, ~0ull, std::memory_order_acquire)) {
    warn_range();
    return id;
  }
  range.start = ticks();
  range.name = name.id;
  range.id.store(id, std::memory_order_release);
  return id;
}

void end(std::uint64_t id) {
  ProcessRange& range = process_ranges[id % process_ranges.size()];
  if (id == 0 || range.id.load(std::memory_order_acquire) != id) return;
  if (record::on())
    record::put_span({range.start, ticks(), range.name, SpanKind::scope, ranges_track()});
  range.id.store(0, std::memory_order_release);
}

std::uint32_t innermost(Role role) {
  for (int at = thread.depth - 1; at >= 0; --at)
    if (const RangeName name = thread.open[static_cast<std::size_t>(at)].name; name.role == role)
      return name.id;
  return 0;
}

}  // namespace laptime::nvtx
