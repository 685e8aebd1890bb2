#include <algorithm>
#include <bit>
#include <unordered_map>

#include "format/block.h"
#include "format/block_layout.h"
#include "format/frame.h"

namespace laptime {

namespace {

// Collects the columns of one block, then compresses and frames them.
class BlockBuilder {
 public:
  // Writes `value(i)` for each row.
  template <typename Value>
  void column(ColumnId id, std::size_t begin, std::size_t end, Value value) {
    scratch_.resize((end - begin) * kMaxVarint);
    std::uint8_t* p = scratch_.data();
    for (std::size_t i = begin; i < end; ++i) p = put_varint(p, value(i));
    section(id, {scratch_.data(), static_cast<std::size_t>(p - scratch_.data())});
  }
  // The same for numbers that are close to the row before.
  template <typename Value>
  void delta_column(ColumnId id, std::size_t begin, std::size_t end, Value value) {
    std::uint64_t previous = 0;
    column(id, begin, end, [&](std::size_t i) {
      const auto v = static_cast<std::uint64_t>(value(i));
      const auto delta = static_cast<std::int64_t>(v - previous);
      previous = v;
      return zigzag(delta);
    });
  }
  void section(ColumnId id, ByteView bytes) {
    ByteWriter out(columns_);
    out.u8(static_cast<std::uint8_t>(id));
    out.varint(bytes.size());
    out.append(bytes.data(), bytes.size());
  }
  void finish(Bytes& out, BlockSummary summary) {
    scratch_.clear();
    summary.raw_size = static_cast<std::uint32_t>(columns_.size());
    summary.compressed = zstd_append(scratch_, columns_);
    Bytes payload;
    ByteWriter writer(payload);
    append_summary(writer, summary);
    const Bytes& stored = summary.compressed ? scratch_ : columns_;
    writer.append(stored.data(), stored.size());
    append_frame(out, FrameType::block, Codec::raw, payload);
  }

 private:
  Bytes columns_, scratch_;
};

// Maps (name, kind) pairs to small numbers in order of appearance. Names repeat in runs and loops,
// so the direct-mapped cache before the map nearly always has them.
class ShapeDictionary {
 public:
  std::uint32_t index_of(std::uint32_t name, SpanKind kind) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(name) << 8 | static_cast<std::uint8_t>(kind);
    CacheLine& line = cache_[(key * 0x9E3779B97F4A7C15ull) >> 58];
    if (line.key != key)
      line = {key, map_.try_emplace(key, static_cast<std::uint32_t>(map_.size())).first->second};
    if (line.index == shapes_) {
      ByteWriter out(bytes_);
      out.varint(name);
      out.u8(static_cast<std::uint8_t>(kind));
      ++shapes_;
    }
    return line.index;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  struct CacheLine {
    std::uint64_t key = ~0ull;
    std::uint32_t index = 0;
  };
  CacheLine cache_[64];
  std::unordered_map<std::uint64_t, std::uint32_t> map_;
  std::uint32_t shapes_ = 0;
  Bytes bytes_;
};

BlockSummary summarize(std::uint32_t part, std::uint32_t track, const SpanColumns& spans,
                       std::size_t begin, std::size_t end) {
  BlockSummary s{.table = TableType::spans,
                 .part = part,
                 .track = track,
                 .rows = static_cast<std::uint32_t>(end - begin)};
  s.first_ns = spans.start[begin];
  s.last_ns = spans.end(begin);
  for (std::size_t i = begin; i < end; ++i) {
    const auto duration = static_cast<std::uint64_t>(spans.duration[i]);
    s.first_ns = std::min(s.first_ns, spans.start[i]);
    s.last_ns = std::max(s.last_ns, spans.end(i));
    s.total_ns += duration;
    if (duration >= s.longest_ns) {
      s.longest_ns = duration;
      s.longest_name = spans.name[i];
    }
  }
  return s;
}

template <typename Times>
BlockSummary summarize(TableType table, std::uint32_t part, std::uint32_t track, const Times& times,
                       std::size_t begin, std::size_t end) {
  BlockSummary s{.table = table,
                 .part = part,
                 .track = track,
                 .rows = static_cast<std::uint32_t>(end - begin)};
  const auto [first, last] = std::minmax_element(times.begin() + begin, times.begin() + end);
  s.first_ns = static_cast<std::int64_t>(*first);
  s.last_ns = static_cast<std::int64_t>(*last);
  return s;
}

// The args of the spans in [begin, end). Args are in row order, so they are contiguous.
void encode_args(BlockBuilder& b, BlockSummary& summary, const ArgColumns& args, std::size_t begin,
                 std::size_t end) {
  const auto first = static_cast<std::size_t>(
      std::lower_bound(args.row.begin(), args.row.end(), begin) - args.row.begin());
  const auto last = static_cast<std::size_t>(
      std::lower_bound(args.row.begin(), args.row.end(), end) - args.row.begin());
  if (first == last) return;
  summary.args = static_cast<std::uint32_t>(last - first);
  b.delta_column(ColumnId::arg_row, first, last,
                 [&](std::size_t i) { return args.row[i] - begin; });
  b.column(ColumnId::arg_key, first, last, [&](std::size_t i) { return stored_key(args.key[i]); });
  b.column(ColumnId::arg_type, first, last,
           [&](std::size_t i) { return static_cast<std::uint64_t>(args.type[i]); });
  b.column(ColumnId::arg_value, first, last, [&](std::size_t i) {
    return args.type[i] == ArgType::integer ? zigzag(static_cast<std::int64_t>(args.value[i]))
                                            : args.value[i];
  });
}

// Doubles that change slowly share their high bits with the row before. Byte-reversed, their xor is
// a small number.
std::uint64_t reversed_bits(std::uint64_t v) { return __builtin_bswap64(v); }

}  // namespace

void append_summary(ByteWriter& out, const BlockSummary& s) {
  out.u8(static_cast<std::uint8_t>(s.table));
  out.u8(static_cast<std::uint8_t>((s.compressed ? 1 : 0) | (s.has_links ? 2 : 0)));
  out.varint(s.part);
  out.varint(s.track);
  out.varint(s.rows);
  out.signed_varint(s.first_ns);
  out.signed_varint(s.last_ns);
  out.varint(s.total_ns);
  out.varint(s.longest_ns);
  out.varint(s.longest_name);
  out.varint(s.args);
  out.varint(s.raw_size);
}

void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const SpanColumns& spans,
                  std::size_t begin, std::size_t end) {
  BlockSummary summary = summarize(part, track, spans, begin, end);
  BlockBuilder b;
  ShapeDictionary shapes;
  b.column(ColumnId::shape, begin, end,
           [&](std::size_t i) { return shapes.index_of(spans.name[i], spans.kind[i]); });
  b.section(ColumnId::shape_dictionary, shapes.bytes());
  b.delta_column(ColumnId::end_delta, begin, end, [&](std::size_t i) { return spans.end(i); });
  b.column(ColumnId::duration, begin, end,
           [&](std::size_t i) { return static_cast<std::uint64_t>(spans.duration[i]); });
  if (!spans.link.empty() && std::any_of(spans.link.data() + begin, spans.link.data() + end,
                                         [](auto v) { return v != 0; })) {
    summary.has_links = true;
    b.delta_column(ColumnId::link_delta, begin, end, [&](std::size_t i) { return spans.link[i]; });
  }
  encode_args(b, summary, spans.args, begin, end);
  b.finish(out, summary);
}

void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const ValueColumns& values,
                  std::size_t begin, std::size_t end) {
  BlockBuilder b;
  b.delta_column(ColumnId::time_delta, begin, end, [&](std::size_t i) { return values.time[i]; });
  b.column(ColumnId::name, begin, end, [&](std::size_t i) { return values.name[i]; });
  std::uint64_t previous = 0;
  b.column(ColumnId::real, begin, end, [&](std::size_t i) {
    const auto bits = std::bit_cast<std::uint64_t>(values.value[i]);
    const std::uint64_t changed = reversed_bits(bits ^ previous);
    previous = bits;
    return changed;
  });
  b.finish(out, summarize(TableType::values, part, track, values.time, begin, end));
}

void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const TallyColumns& t,
                  std::size_t begin, std::size_t end) {
  BlockBuilder b;
  b.column(ColumnId::kind, begin, end,
           [&](std::size_t i) { return static_cast<std::uint64_t>(t.kind[i]); });
  b.delta_column(ColumnId::step_delta, begin, end, [&](std::size_t i) { return t.step[i]; });
  b.delta_column(ColumnId::code_delta, begin, end, [&](std::size_t i) { return t.code[i]; });
  b.delta_column(ColumnId::where_delta, begin, end, [&](std::size_t i) { return t.where[i]; });
  b.column(ColumnId::hits, begin, end, [&](std::size_t i) { return t.hits[i]; });
  b.column(ColumnId::inclusive, begin, end, [&](std::size_t i) { return t.inclusive[i]; });
  b.column(ColumnId::exclusive, begin, end, [&](std::size_t i) { return t.exclusive[i]; });
  b.column(ColumnId::extra_hits, begin, end, [&](std::size_t i) { return t.extra_hits[i]; });
  b.column(ColumnId::extra_ns, begin, end, [&](std::size_t i) { return t.extra_ns[i]; });
  b.finish(out, summarize(TableType::tallies, part, track, t.step, begin, end));
}

}  // namespace laptime
