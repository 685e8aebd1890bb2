#include "trace/time/awaited_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/code/span_call_site.h"

namespace laptime {

namespace {

// An interval in which a thread is in ops of one call site, innermost first.
struct Piece {
  std::int64_t start, end;
  std::uint32_t call_site;
};

// The stepping thread is in a call of a compiled function.
struct Call {
  std::int64_t start, end;
  std::uint32_t caller;
};

// Makes disjoint pieces of nested ones. They are added by rising starts, outer ones first.
class Flattening {
 public:
  void add(Piece piece) {
    close_before(piece.start);
    if (!open_.empty()) {
      put(piece.start);
      piece.end = std::min(piece.end, open_.back().end);
    }
    now_ = piece.start;
    open_.push_back(piece);
  }
  std::vector<Piece> finish() {
    close_before(INT64_MAX);
    return std::move(pieces_);
  }

 private:
  void close_before(std::int64_t time) {
    while (!open_.empty() && open_.back().end <= time) {
      put(open_.back().end);
      now_ = std::max(now_, open_.back().end);
      open_.pop_back();
    }
  }
  void put(std::int64_t end) {
    if (now_ < end && open_.back().call_site != 0)
      pieces_.push_back({now_, end, open_.back().call_site});
  }

  std::vector<Piece> open_, pieces_;
  std::int64_t now_ = 0;
};

bool is_earlier(const Piece& a, const Piece& b) {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

std::vector<Piece> pieces_of(const SpanColumns& spans, const TrackOps& ops) {
  std::vector<Piece> nested;
  for (std::uint32_t row = 0; row < ops.size(); ++row)
    if (ops.pass[row] != OpPass::none && spans.duration[row] > 0)
      nested.push_back({spans.start[row], spans.end(row), ops.call_site[row]});
  std::stable_sort(nested.begin(), nested.end(), is_earlier);
  Flattening flattening;
  for (const Piece& piece : nested) flattening.add(piece);
  return flattening.finish();
}

// The outermost calls and waits of a track.
std::vector<Call> outermost_calls(const Spans& spans) {
  std::vector<Call> calls;
  for (std::uint32_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::dispatch || spans.kind[row] == SpanKind::wait)
      calls.push_back({spans.start[row], spans.end(row), recorded_call_site(spans, row)});
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::int64_t end = INT64_MIN;
  std::erase_if(calls, [&](const Call& call) {
    const bool is_inner = call.end <= end;
    end = std::max(end, call.end);
    return is_inner;
  });
  return calls;
}

// Divides the time of calls among the pieces that run meanwhile, on any of the threads.
class Division {
 public:
  explicit Division(std::vector<std::vector<Piece>> pieces) : pieces_(std::move(pieces)) {}

  template <typename Visit>
  void divide(std::int64_t from, std::int64_t to, Visit visit) {
    edges_.clear();
    running_.assign(pieces_.size(), 0);
    for (std::uint32_t thread = 0; thread < pieces_.size(); ++thread) add(thread, from, to);
    std::sort(edges_.begin(), edges_.end());
    std::size_t busy = 0;
    std::int64_t now = from;
    for (const Edge& edge : edges_) {
      if (busy > 0 && edge.time > now)
        for (const std::uint32_t call_site : running_)
          if (call_site != 0)
            visit(call_site, static_cast<double>(edge.time - now) / static_cast<double>(busy));
      now = edge.time;
      std::uint32_t& running = running_[edge.thread];
      if (running != 0) --busy;
      if (edge.call_site != 0) ++busy;
      running = edge.call_site;
    }
  }

 private:
  struct Edge {
    std::int64_t time;
    std::uint32_t call_site;  // from now on; 0: none
    std::uint32_t thread;

    // Ends come before begins.
    bool operator<(const Edge& other) const {
      return std::tie(time, call_site) < std::tie(other.time, other.call_site);
    }
  };

  void add(std::uint32_t thread, std::int64_t from, std::int64_t to) {
    const std::vector<Piece>& pieces = pieces_[thread];
    auto it = std::partition_point(pieces.begin(), pieces.end(),
                                   [&](const Piece& piece) { return piece.end <= from; });
    for (; it != pieces.end() && it->start < to; ++it) {
      edges_.push_back({std::max(it->start, from), it->call_site, thread});
      edges_.push_back({std::min(it->end, to), 0, thread});
    }
  }

  std::vector<std::vector<Piece>> pieces_;  // by thread
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> running_;  // by thread: call sites
};

using Sums = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double>;

class ProcessWaits {
 public:
  ProcessWaits(const Run& run, const OpAttribution& ops, std::uint32_t stepping_track)
      : calls_(outermost_calls(run.tracks[stepping_track].spans)),
        division_(calls_.empty() ? std::vector<std::vector<Piece>>()
                                 : all_pieces(run, ops, run.tracks[stepping_track].process)) {}

  void add(const Step& step, Sums& sums) {
    const std::int64_t end = step.start_ns + step.wall_ns;
    auto it = std::partition_point(calls_.begin(), calls_.end(),
                                   [&](const Call& call) { return call.end <= step.start_ns; });
    for (; it != calls_.end() && it->start < end; ++it)
      if (it->caller != 0)
        division_.divide(std::max(it->start, step.start_ns), std::min(it->end, end),
                         [&](std::uint32_t call_site, double ns) {
                           sums[{step.phase, it->caller, call_site}] += ns;
                         });
  }

 private:
  static std::vector<std::vector<Piece>> all_pieces(const Run& run, const OpAttribution& ops,
                                                    std::uint32_t process) {
    std::vector<std::vector<Piece>> pieces;
    for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
      if (run.tracks[t].process == process && ops.tracks[t].size() > 0)
        pieces.push_back(pieces_of(run.tracks[t].spans, ops.tracks[t]));
    return pieces;
  }

  const std::vector<Call> calls_;
  Division division_;
};

}  // namespace

std::vector<AwaitedLine> find_awaited_lines(const Run& run, const std::vector<Step>& steps,
                                            const OpAttribution& ops) {
  Sums sums;
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(first, steps.end(),
                                   [&](const Step& step) { return step.track != first->track; });
    ProcessWaits waits(run, ops, first->track);
    for (; first != last; ++first)
      if (first->counts && first->ops != StepOps::rested) waits.add(*first, sums);
  }
  std::vector<AwaitedLine> found;
  for (const auto& [key, ns] : sums)
    found.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), ns});
  return found;
}

}  // namespace laptime
