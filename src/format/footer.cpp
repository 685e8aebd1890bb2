#include "format/footer.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace laptime {

namespace {

auto group_of(const BlockSummary& s) { return std::tuple(s.part, s.track, s.table); }

void absorb(BlockSummary& sum, const BlockSummary& child) {
  // Rows over blocks may exceed 2^32 in a very long run. A level saturates; the exact count is in
  // the blocks.
  const std::uint64_t rows = static_cast<std::uint64_t>(sum.rows) + child.rows;
  sum.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, ~0u));
  sum.first_ns = std::min(sum.first_ns, child.first_ns);
  sum.last_ns = std::max(sum.last_ns, child.last_ns);
  sum.total_ns += child.total_ns;
  if (child.longest_ns >= sum.longest_ns) {
    sum.longest_ns = child.longest_ns;
    sum.longest_name = child.longest_name;
  }
}

// One level up. `summary(i)` returns the i-th node below. Nodes of one group are adjacent.
template <typename Summary>
Level level_above(std::size_t count, Summary summary) {
  Level level;
  for (std::size_t i = 0; i < count; ++i) {
    const BlockSummary& below = summary(i);
    if (level.empty() || level.back().children == kLevelFanout ||
        group_of(level.back().summary) != group_of(below)) {
      level.push_back({below, static_cast<std::uint32_t>(i), 1});
      continue;
    }
    absorb(level.back().summary, below);
    ++level.back().children;
  }
  return level;
}

}  // namespace

DetailTree build_levels(const std::vector<IndexEntry>& index) {
  DetailTree tree;
  tree.order.resize(index.size());
  std::iota(tree.order.begin(), tree.order.end(), 0u);
  std::stable_sort(tree.order.begin(), tree.order.end(), [&](auto a, auto b) {
    return group_of(index[a].summary) < group_of(index[b].summary);
  });
  if (index.empty()) return tree;
  tree.levels.push_back(level_above(index.size(), [&](std::size_t i) -> const BlockSummary& {
    return index[tree.order[i]].summary;
  }));
  for (;;) {
    const Level& below = tree.levels.back();
    Level above = level_above(
        below.size(), [&](std::size_t i) -> const BlockSummary& { return below[i].summary; });
    if (above.size() == below.size()) return tree;
    tree.levels.push_back(std::move(above));
  }
}

Bytes encode_footer(const Footer& footer) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.varint(footer.parts);
  out.varint(footer.facts.size());
  for (const std::uint64_t offset : footer.facts) out.varint(offset);
  out.varint(footer.index.size());
  std::uint64_t previous = 0;
  for (const IndexEntry& entry : footer.index) {
    out.varint(entry.offset - previous);
    previous = entry.offset;
    append_summary(out, entry.summary);
  }
  const DetailTree tree = build_levels(footer.index);
  for (const std::uint32_t entry : tree.order) out.varint(entry);
  out.varint(tree.levels.size());
  for (const Level& level : tree.levels) {
    out.varint(level.size());
    for (const LevelNode& node : level) {
      append_summary(out, node.summary);
      out.varint(node.first_child);
      out.varint(node.children);
    }
  }
  return bytes;
}

namespace {

bool decode_levels(ByteReader& in, std::size_t blocks, DetailTree& tree) {
  for (std::size_t i = 0; i < blocks; ++i) {
    tree.order.push_back(static_cast<std::uint32_t>(in.varint()));
    if (tree.order.back() >= blocks) return false;
  }
  const std::uint64_t levels = in.varint();
  if (levels > 64) return false;
  std::size_t below = blocks;
  for (std::uint64_t l = 0; l < levels; ++l) {
    const std::uint64_t nodes = in.varint();
    if (nodes > in.remaining() || nodes > below) return false;
    Level& level = tree.levels.emplace_back();
    for (std::uint64_t i = 0; i < nodes; ++i) {
      LevelNode node{read_summary(in), static_cast<std::uint32_t>(in.varint()),
                     static_cast<std::uint32_t>(in.varint())};
      if (static_cast<std::uint64_t>(node.first_child) + node.children > below) return false;
      level.push_back(node);
    }
    below = level.size();
  }
  return !in.failed();
}

}  // namespace

std::optional<Footer> decode_footer(ByteView payload, std::uint64_t max_frames) {
  ByteReader in(payload);
  Footer footer;
  footer.parts = static_cast<std::uint32_t>(in.varint());
  const std::uint64_t facts = in.varint();
  if (facts > in.remaining() || facts > max_frames) return std::nullopt;
  for (std::uint64_t i = 0; i < facts; ++i) footer.facts.push_back(in.varint());
  const std::uint64_t blocks = in.varint();
  if (blocks > in.remaining() || blocks > max_frames) return std::nullopt;
  footer.index.reserve(blocks);
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    offset += in.varint();
    footer.index.push_back({read_summary(in), offset});
  }
  if (in.failed() || !decode_levels(in, footer.index.size(), footer.detail)) return std::nullopt;
  return footer;
}

}  // namespace laptime
