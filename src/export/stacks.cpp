#include "export/stacks.h"

#include <cmath>
#include <unordered_map>

#include "base/utf8.h"
#include "export/text_stream.h"
#include "tables/code/calltree.h"
#include "tables/run/thread_label.h"
#include "trace/run/nesting.h"

namespace laptime {

namespace {

// Semicolons separate frames, and line ends separate stacks.
std::string frame_text(std::string_view name) {
  std::string text = make_valid_utf8(name.empty() ? "(unnamed)" : name);
  for (char& c : text)
    if (c == ';')
      c = ':';
    else if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  return text;
}

class StackLines {
 public:
  explicit StackLines(Sink& sink) : out_(sink) {}

  // `frames`: innermost first.
  void add(const std::vector<std::string_view>& frames, std::uint64_t self_ns) {
    if (self_ns == 0) return;
    out_.flush_if_full();
    for (auto it = frames.rbegin(); it != frames.rend(); ++it)
      out_.write("{}{}", it == frames.rbegin() ? "" : ";", *it);
    out_.write(" {}\n", self_ns);
    ++done_.stacks;
  }
  Result<StacksExport> finish() {
    RETURN_IF_ERROR(out_.finish());
    return done_;
  }

 private:
  TextStream out_;
  StacksExport done_;
};

// The stacks of all spans, each once.
class SpanStacks {
 public:
  explicit SpanStacks(const Run& run) : run_(run) {
    for (const Track& track : run.tracks)
      if (track.spans.size() > 0) add(track);
  }

  void write(StackLines& lines) const {
    std::vector<std::string_view> frames;
    for (const Node& node : nodes_) {
      frames.clear();
      for (const Node* at = &node;; at = &nodes_[at->parent]) {
        frames.push_back(texts_[at->text]);
        if (at->parent == kNoNode) break;
      }
      lines.add(frames, node.self_ns);
    }
  }

 private:
  struct Node {
    std::uint32_t parent, text;
    std::uint64_t self_ns = 0;
  };

  std::uint32_t text_of(const std::string& frame) {
    const auto [it, is_new] =
        text_ids_.try_emplace(frame, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(frame);
    return it->second;
  }
  std::uint32_t child(std::uint32_t parent, std::uint32_t text) {
    const auto [it, is_new] = call_sites_.try_emplace(std::uint64_t{parent} << 32 | text,
                                                      static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, text});
    return it->second;
  }
  std::uint32_t name_text(std::uint32_t name) {
    if (name >= name_texts_.size()) name_texts_.resize(name + 1, kNoNode);
    if (name_texts_[name] == kNoNode) name_texts_[name] = text_of(frame_text(run_.strings[name]));
    return name_texts_[name];
  }

  // Backwards by ends: a span's parent is the nearest later span that began no later. So spans that
  // began later than the present one have no more children.
  void add(const Track& track) {
    struct Open {
      std::int64_t start;
      std::uint32_t node;
    };
    const SpanColumns& spans = track.spans;
    std::vector<std::int64_t> self_ns(spans.size());
    for_each_self_time(spans, [&](std::uint32_t row, std::int64_t ns) { self_ns[row] = ns; });
    const std::vector<std::uint32_t> order = end_order(spans);
    const std::uint32_t thread = child(kNoNode, text_of(frame_text(thread_label(run_, track))));
    std::vector<Open> open{{INT64_MIN, thread}};
    for (std::size_t i = spans.size(); i-- > 0;) {
      const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
      if (!is_nested_kind(spans.kind[row])) continue;
      while (open.back().start > spans.start[row]) open.pop_back();
      const std::uint32_t node = child(open.back().node, name_text(spans.name[row]));
      nodes_[node].self_ns += static_cast<std::uint64_t>(self_ns[row]);
      open.push_back({spans.start[row], node});
    }
  }

  const Run& run_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> call_sites_;  // by parent and text
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> text_ids_;
  std::vector<std::uint32_t> name_texts_;  // by Run::strings
};

void write_tree(const Run& run, const CallGraph& graph, const std::vector<CallNode>& tree,
                StackLines& lines) {
  std::vector<std::string> labels;
  for (const CallNode& node : tree) labels.push_back(frame_text(node_label(run, graph, node)));
  std::vector<std::string_view> frames;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    frames.clear();
    for (std::uint32_t at = i; at != kNoNode; at = tree[at].parent) frames.push_back(labels[at]);
    lines.add(frames, static_cast<std::uint64_t>(std::llround(tree[i].self_ns)));
  }
}

}  // namespace

Result<StacksExport> export_stacks(const Run& run, Sink& sink) {
  StackLines lines(sink);
  const CallGraph graph = build_call_graph(run);
  const std::vector<CallNode> tree = build_call_tree(graph);
  if (!tree.empty())
    write_tree(run, graph, tree, lines);
  else if (run.span_count() > 0)
    SpanStacks(run).write(lines);
  else
    return fail(ErrorKind::usage, run.path + " has neither spans nor function calls to export");
  return lines.finish();
}

}  // namespace laptime
