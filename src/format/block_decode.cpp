#include <algorithm>
#include <array>
#include <bit>

#include "format/block.h"
#include "format/block_layout.h"
#include "format/frame.h"

namespace laptime {

namespace {

// Every row takes between 1 and kMaxVarint bytes in each varint column. This limits the counts that
// a summary may claim.
constexpr std::size_t kMaxColumnsPerRow = 16;

// The columns of one block, opened. Valid until the scratch buffer of its thread is reused.
class OpenColumns {
 public:
  explicit OpenColumns(const Block& block) {
    if (!block.frame.intact()) return;
    thread_local Bytes scratch;
    ByteView raw = block.columns;
    if (block.summary.compressed) {
      if (!zstd_expand(block.columns, block.summary.raw_size, scratch)) return;
      raw = scratch;
    }
    ByteReader in(raw);
    while (in.remaining() > 0) {
      const std::uint8_t id = in.u8();
      const ByteView bytes = in.bytes(in.varint());
      if (id < kColumnIds) sections_[id] = bytes;
    }
    ok_ = !in.failed();
  }

  bool ok() const { return ok_; }
  ByteView section(ColumnId id) const { return sections_[static_cast<std::size_t>(id)]; }

  // Calls store(i, number) for each of `rows` numbers. False unless the column holds exactly that
  // many.
  template <typename Store>
  bool each(ColumnId id, std::size_t rows, Store store) const {
    const ByteView bytes = section(id);
    if (bytes.size() < rows) return false;
    const std::uint8_t* p = bytes.data();
    const std::uint8_t* const end = p + bytes.size();
    for (std::size_t i = 0; i < rows; ++i) {
      std::uint64_t v;
      p = read_varint(p, end, v);
      if (!p) [[unlikely]]
        return false;
      store(i, v);
    }
    return p == end;
  }
  template <typename Store>
  bool each_delta(ColumnId id, std::size_t rows, Store store) const {
    std::uint64_t previous = 0;
    return each(id, rows, [&](std::size_t i, std::uint64_t v) {
      previous += static_cast<std::uint64_t>(unzigzag(v));
      store(i, previous);
    });
  }
  // Appends `rows` numbers to a vector of any integer or enum type.
  template <typename T>
  bool append(ColumnId id, std::size_t rows, std::vector<T>& out) const {
    return each(id, rows, [&](std::size_t, std::uint64_t v) { out.push_back(static_cast<T>(v)); });
  }
  template <typename T>
  bool append_delta(ColumnId id, std::size_t rows, std::vector<T>& out) const {
    return each_delta(id, rows,
                      [&](std::size_t, std::uint64_t v) { out.push_back(static_cast<T>(v)); });
  }

 private:
  std::array<ByteView, kColumnIds> sections_{};
  bool ok_ = false;
};

struct Shape {
  std::uint32_t name;
  SpanKind kind;
};

bool read_shapes(const OpenColumns& columns, std::vector<Shape>& shapes) {
  ByteReader in(columns.section(ColumnId::shape_dictionary));
  shapes.clear();
  while (in.remaining() > 0) {
    const auto name = static_cast<std::uint32_t>(in.varint());
    shapes.push_back({name, static_cast<SpanKind>(in.u8())});
  }
  return !in.failed();
}

bool decode_shapes(const OpenColumns& columns, std::size_t rows, const SpanTarget& target) {
  thread_local std::vector<Shape> shapes;
  if (!read_shapes(columns, shapes)) return false;
  bool in_range = true;
  const bool complete = columns.each(ColumnId::shape, rows, [&](std::size_t i, std::uint64_t v) {
    if (v >= shapes.size()) [[unlikely]] {
      in_range = false;
      return;
    }
    target.name[i] = shapes[v].name;
    target.kind[i] = shapes[v].kind;
  });
  return complete && in_range;
}

bool decode_args(const OpenColumns& columns, const BlockSummary& summary,
                 const SpanTarget& target) {
  const std::size_t n = summary.args;
  if (n == 0 || !target.args) return true;
  ArgColumns& args = *target.args;
  const std::size_t before = args.size();
  bool in_range = true;
  const bool ok =
      columns.each_delta(ColumnId::arg_row, n,
                         [&](std::size_t, std::uint64_t row) {
                           in_range &= row < summary.rows;
                           args.row.push_back(target.first_row + static_cast<std::uint32_t>(row));
                         }) &&
      columns.each(ColumnId::arg_key, n,
                   [&](std::size_t, std::uint64_t v) { args.key.push_back(key_from_stored(v)); }) &&
      columns.append(ColumnId::arg_type, n, args.type) &&
      columns.append(ColumnId::arg_value, n, args.value);
  if (!ok || !in_range ||
      !std::is_sorted(args.row.begin() + static_cast<std::ptrdiff_t>(before), args.row.end()))
    return false;
  for (std::size_t i = before; i < args.size(); ++i)
    if (args.type[i] == ArgType::integer)
      args.value[i] = static_cast<std::uint64_t>(unzigzag(args.value[i]));
  return true;
}

}  // namespace

BlockSummary read_summary(ByteReader& in) {
  BlockSummary s;
  s.table = static_cast<TableType>(in.u8());
  const std::uint8_t flags = in.u8();
  s.compressed = flags & 1;
  s.has_links = flags & 2;
  s.part = static_cast<std::uint32_t>(in.varint());
  s.track = static_cast<std::uint32_t>(in.varint());
  s.rows = static_cast<std::uint32_t>(in.varint());
  s.first_ns = in.signed_varint();
  s.last_ns = in.signed_varint();
  s.total_ns = in.varint();
  s.longest_ns = in.varint();
  s.longest_name = static_cast<std::uint32_t>(in.varint());
  s.args = static_cast<std::uint32_t>(in.varint());
  s.raw_size = static_cast<std::uint32_t>(in.varint());
  return s;
}

std::optional<Block> parse_block(const Frame& frame) {
  if (frame.type != FrameType::block || frame.codec != Codec::raw) return std::nullopt;
  ByteReader in(frame.payload);
  const BlockSummary s = read_summary(in);
  if (in.failed() || s.rows == 0 || s.rows > kMaxBlockRows) return std::nullopt;
  const std::size_t most =
      (static_cast<std::size_t>(s.rows) + s.args) * kMaxColumnsPerRow * kMaxVarint + 4096;
  if (s.raw_size < s.rows || s.raw_size > most || s.args > s.raw_size) return std::nullopt;
  return Block{s, in.bytes(in.remaining()), frame};
}

bool decode_spans(const Block& block, const SpanTarget& target) {
  const OpenColumns columns(block);
  const std::size_t rows = block.summary.rows;
  if (!columns.ok() || !decode_shapes(columns, rows, target)) return false;
  bool sane = true;
  if (!columns.each(ColumnId::duration, rows, [&](std::size_t i, std::uint64_t v) {
        sane &= v < (1ull << 62);
        target.duration[i] = static_cast<std::int64_t>(v);
      }))
    return false;
  if (!columns.each_delta(ColumnId::end_delta, rows, [&](std::size_t i, std::uint64_t end) {
        target.start[i] =
            static_cast<std::int64_t>(end - static_cast<std::uint64_t>(target.duration[i]));
      }))
    return false;
  if (target.link && block.summary.has_links) {
    if (!columns.each_delta(ColumnId::link_delta, rows,
                            [&](std::size_t i, std::uint64_t v) { target.link[i] = v; }))
      return false;
  } else if (target.link) {
    std::fill_n(target.link, rows, 0);
  }
  return sane && decode_args(columns, block.summary, target);
}

bool decode_block(const Block& block, SpanColumns& out) {
  const std::size_t at = out.size(), n = at + block.summary.rows;
  out.start.resize(n);
  out.duration.resize(n);
  out.name.resize(n);
  out.kind.resize(n);
  if (block.summary.has_links || !out.link.empty()) out.link.resize(n, 0);
  return decode_spans(
      block, {out.start.data() + at, out.duration.data() + at, out.name.data() + at,
              out.kind.data() + at, out.link.empty() ? nullptr : out.link.data() + at, &out.args,
              static_cast<std::uint32_t>(at)});
}

bool decode_block(const Block& block, ValueColumns& out) {
  const OpenColumns columns(block);
  const std::size_t rows = block.summary.rows;
  std::uint64_t previous = 0;
  return columns.ok() && columns.append_delta(ColumnId::time_delta, rows, out.time) &&
         columns.append(ColumnId::name, rows, out.name) &&
         columns.each(ColumnId::real, rows, [&](std::size_t, std::uint64_t v) {
           previous ^= __builtin_bswap64(v);
           out.value.push_back(std::bit_cast<double>(previous));
         });
}

bool decode_block(const Block& block, TallyColumns& out) {
  const OpenColumns columns(block);
  const std::size_t rows = block.summary.rows;
  return columns.ok() && columns.append(ColumnId::kind, rows, out.kind) &&
         columns.append_delta(ColumnId::step_delta, rows, out.step) &&
         columns.append_delta(ColumnId::code_delta, rows, out.code) &&
         columns.append_delta(ColumnId::where_delta, rows, out.where) &&
         columns.append(ColumnId::hits, rows, out.hits) &&
         columns.append(ColumnId::inclusive, rows, out.inclusive) &&
         columns.append(ColumnId::exclusive, rows, out.exclusive) &&
         columns.append(ColumnId::extra_hits, rows, out.extra_hits) &&
         columns.append(ColumnId::extra_ns, rows, out.extra_ns);
}

}  // namespace laptime
