#include "format/raw_batch.h"

#include <bit>

#include "format/block.h"

namespace laptime {

std::uint64_t RawBatch::duration_ns(std::uint64_t ticks) const {
  return scale_.to_ns(scale_.origin_ticks() + ticks);
}

void RawBatch::add_span(SpanColumns& spans, const RawRecord& record) {
  // Both ends are converted, and the duration is their difference. So spans that touch in ticks
  // also touch in ns.
  const auto start = static_cast<std::int64_t>(scale_.to_ns(record.start));
  const auto end = static_cast<std::int64_t>(scale_.to_ns(record.end));
  spans.start.push_back(start);
  spans.duration.push_back(end - start);
  spans.name.push_back(record.name);
  spans.kind.push_back(static_cast<SpanKind>(record.kind));
  if (record.link != 0 && spans.link.empty()) spans.link.resize(spans.size() - 1, 0);
  if (record.link != 0 || !spans.link.empty()) spans.link.push_back(record.link);
  last_spans_ = &spans;
}

bool RawBatch::add_op(SpanColumns& spans, RawRecord record) {
  const std::span<const SharedArg> shared = shared_.of(record.track);
  if (record.end < record.start || (record.track != 0 && shared.empty())) return false;
  const std::uint32_t call_site = OpLink::call_site(record.link);
  record.link = OpLink::autograd(record.link);
  add_span(spans, record);
  if (call_site != 0) add_arg(ArgKey::call_site, ArgType::call_site, call_site);
  for (const SharedArg& arg : shared) add_arg(arg.key, arg.type, arg.value);
  return true;
}

void RawBatch::add_memory(SpanColumns& spans, RawRecord record) {
  const std::uint64_t bytes = record.end;
  record.end = record.start;
  add_span(spans, record);
  add_arg(ArgKey::bytes, ArgType::integer, bytes);
}

void RawBatch::add_launch(SpanColumns& spans, const RawRecord& record) {
  RawRecord span = record;
  span.end = record.start + LaunchRecord::duration(record.end);
  span.link = LaunchRecord::link(record.end, record.track);
  span.kind = static_cast<std::uint8_t>(SpanKind::launch);
  add_span(spans, span);
  const bool backward = record.track & 1;
  const std::uint32_t call_site = OpLink::call_site(record.link);
  if (call_site != 0) add_arg(ArgKey::call_site, ArgType::call_site, call_site);
  if (backward || OpLink::autograd(record.link) != 0) {
    const auto node = static_cast<std::uint64_t>(LaunchNode::pack(record.link, backward));
    add_arg(ArgKey::autograd, ArgType::integer, node);
  }
}

bool RawBatch::add_arg(ArgKey key, ArgType type, std::uint64_t value) {
  if (!last_spans_) return false;
  ArgColumns& args = last_spans_->args;
  args.row.push_back(static_cast<std::uint32_t>(last_spans_->size() - 1));
  args.key.push_back(key);
  args.type.push_back(type);
  args.value.push_back(value);
  return true;
}

bool RawBatch::add_tally(std::uint32_t slot_track, const RawRecord& first,
                         const RawRecord& second) {
  if (second.type != RecordType::tally_more) return false;
  const std::uint32_t given = first.track | static_cast<std::uint32_t>(second.track) << 16;
  const std::uint32_t track = given ? given : slot_track;
  TallyColumns& t = tallies_[track];
  t.kind.push_back(static_cast<TallyKind>(first.kind));
  t.step.push_back(static_cast<std::uint32_t>(second.start));
  t.code.push_back(first.name);
  t.where.push_back(second.name);
  t.hits.push_back(first.start);
  t.inclusive.push_back(duration_ns(first.end));
  t.exclusive.push_back(duration_ns(first.link));
  t.extra_hits.push_back(second.end);
  t.extra_ns.push_back(duration_ns(second.link));
  return true;
}

void RawBatch::add(std::uint32_t slot_track, std::span<const RawRecord> records) {
  last_spans_ = nullptr;
  SpanColumns* own_spans = nullptr;
  const auto spans_of = [&](std::uint32_t track) -> SpanColumns& {
    if (track != slot_track) return spans_[track];
    if (!own_spans) own_spans = &spans_[track];
    return *own_spans;
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RawRecord& record = records[i];
    const std::uint32_t track =
        record.track ? record.track : slot_track;  // ops and launches use the field for other data
    bool good = true;
    switch (record.type) {
      case RecordType::span:
        good = record.end >= record.start;
        if (good) add_span(spans_of(track), record);
        break;
      case RecordType::op:
        good = add_op(spans_of(slot_track), record);
        break;
      case RecordType::launch:
        good = record.start + LaunchRecord::duration(record.end) >= record.start;
        if (good) add_launch(spans_of(slot_track), record);
        break;
      case RecordType::memory:
        add_memory(spans_of(track), record);
        break;
      case RecordType::arg:
        good = add_arg(static_cast<ArgKey>(record.name), static_cast<ArgType>(record.kind),
                       record.end);
        break;
      case RecordType::value: {
        ValueColumns& values = values_[track];
        values.time.push_back(static_cast<std::int64_t>(scale_.to_ns(record.start)));
        values.name.push_back(record.name);
        values.value.push_back(std::bit_cast<double>(record.end));
        break;
      }
      case RecordType::tally:
        good = i + 1 < records.size() && add_tally(slot_track, record, records[i + 1]);
        i += good;
        break;
      default:
        good = false;
    }
    if (!good) {
      ++malformed_;
      last_spans_ = nullptr;
    }
  }
}

void RawBatch::append_blocks_to(Bytes& out, std::uint32_t part) {
  const auto drain = [&](auto& tables) {
    for (const auto& [track, columns] : tables) append_blocks(out, part, track, columns);
    tables.clear();
  };
  drain(spans_);
  drain(values_);
  drain(tallies_);
}

}  // namespace laptime
