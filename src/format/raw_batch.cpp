#include "format/raw_batch.h"

#include <bit>

#include "format/block.h"

namespace laptime {

std::uint64_t RawBatch::duration_ns(std::uint64_t ticks) const {
  return scale_.to_ns(scale_.origin_ticks() + ticks);
}

void RawBatch::add_span(SpanColumns& spans, const RawUnit& unit) {
  // Both ends are converted, and the duration is their difference, so neighbours that touch in
  // ticks touch in ns.
  const auto start = static_cast<std::int64_t>(scale_.to_ns(unit.start));
  const auto end = static_cast<std::int64_t>(scale_.to_ns(unit.end));
  spans.start.push_back(start);
  spans.duration.push_back(end - start);
  spans.name.push_back(unit.name);
  spans.kind.push_back(static_cast<SpanKind>(unit.kind));
  if (unit.link != 0 && spans.link.empty()) spans.link.resize(spans.size() - 1, 0);
  if (unit.link != 0 || !spans.link.empty()) spans.link.push_back(unit.link);
  last_spans_ = &spans;
}

bool RawBatch::add_op(SpanColumns& spans, RawUnit unit) {
  const std::span<const SharedArg> shared = shared_.of(unit.track);
  if (unit.end < unit.start || (unit.track != 0 && shared.empty())) return false;
  const std::uint32_t place = OpLink::place(unit.link);
  unit.link = OpLink::autograd(unit.link);
  add_span(spans, unit);
  if (place != 0) add_arg(ArgKey::call_site, ArgType::place, place);
  for (const SharedArg& arg : shared) add_arg(arg.key, arg.type, arg.value);
  return true;
}

void RawBatch::add_memory(SpanColumns& spans, RawUnit unit) {
  const std::uint64_t bytes = unit.end;
  unit.end = unit.start;
  add_span(spans, unit);
  add_arg(ArgKey::bytes, ArgType::integer, bytes);
}

void RawBatch::add_launch(SpanColumns& spans, const RawUnit& unit) {
  RawUnit span = unit;
  span.end = unit.start + LaunchUnit::duration(unit.end);
  span.link = LaunchUnit::link(unit.end, unit.track);
  span.kind = static_cast<std::uint8_t>(SpanKind::launch);
  add_span(spans, span);
  const bool backward = unit.track & 1;
  const std::uint32_t place = OpLink::place(unit.link);
  if (place != 0) add_arg(ArgKey::call_site, ArgType::place, place);
  if (backward || OpLink::autograd(unit.link) != 0) {
    const auto node = static_cast<std::uint64_t>(LaunchNode::pack(unit.link, backward));
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

bool RawBatch::add_tally(std::uint32_t slot_track, const RawUnit& first, const RawUnit& second) {
  if (second.type != UnitType::tally_more) return false;
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

void RawBatch::add(std::uint32_t slot_track, std::span<const RawUnit> units) {
  last_spans_ = nullptr;
  SpanColumns* own_spans = nullptr;
  const auto spans_of = [&](std::uint32_t track) -> SpanColumns& {
    if (track != slot_track) return spans_[track];
    if (!own_spans) own_spans = &spans_[track];
    return *own_spans;
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    const RawUnit& unit = units[i];
    const std::uint32_t track =
        unit.track ? unit.track : slot_track;  // ops and launches use the field for their own
    bool good = true;
    switch (unit.type) {
      case UnitType::span:
        good = unit.end >= unit.start;
        if (good) add_span(spans_of(track), unit);
        break;
      case UnitType::op:
        good = add_op(spans_of(slot_track), unit);
        break;
      case UnitType::launch:
        good = unit.start + LaunchUnit::duration(unit.end) >= unit.start;
        if (good) add_launch(spans_of(slot_track), unit);
        break;
      case UnitType::memory:
        add_memory(spans_of(track), unit);
        break;
      case UnitType::arg:
        good = add_arg(static_cast<ArgKey>(unit.name), static_cast<ArgType>(unit.kind), unit.end);
        break;
      case UnitType::value: {
        ValueColumns& values = values_[track];
        values.time.push_back(static_cast<std::int64_t>(scale_.to_ns(unit.start)));
        values.name.push_back(unit.name);
        values.value.push_back(std::bit_cast<double>(unit.end));
        break;
      }
      case UnitType::link: {
        LinkColumns& links = links_[track];
        links.time.push_back(static_cast<std::int64_t>(scale_.to_ns(unit.link)));
        links.from.push_back(unit.start);
        links.to.push_back(unit.end);
        links.kind.push_back(static_cast<LinkKind>(unit.kind));
        break;
      }
      case UnitType::tally:
        good = i + 1 < units.size() && add_tally(slot_track, unit, units[i + 1]);
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
  drain(links_);
  drain(tallies_);
}

}  // namespace laptime
