// Runs of ops, made in a few lines: for unit tests.
#pragma once

#include <algorithm>
#include <string_view>

#include "format/testing/copies.h"
#include "trace/run/run.h"

namespace laptime {

class OpRun {
 public:
  OpRun() {
    run.codes.emplace_back();
    run.call_sites.emplace_back();
    run.codes.push_back({run.strings.add("train.py"), run.strings.add("forward"), 1, 0});
    run.processes.emplace_back();
    add_thread();
  }

  std::uint32_t add_thread(std::uint32_t process = 0) {
    run.tracks.emplace_back();
    run.tracks.back().process = process;
    run.tracks.back().name = "thread";
    return static_cast<std::uint32_t>(run.tracks.size() - 1);
  }
  std::uint32_t add_stream(std::uint64_t device, std::uint64_t stream, std::uint32_t process = 0) {
    const std::uint32_t track = add_thread(process);
    run.tracks[track].kind = TrackKind::stream;
    run.tracks[track].os_id = device << 32 | stream;
    return track;
  }
  std::uint32_t call_site(std::uint32_t line, std::string_view module = "") {
    run.call_sites.push_back({1, line, run.strings.add(module)});
    return static_cast<std::uint32_t>(run.call_sites.size() - 1);
  }

  struct Span {
    std::int64_t start, duration;
    std::string_view name;
    SpanKind kind = SpanKind::op;
    std::uint64_t link = 0;
    std::uint32_t call_site = 0;
  };
  // The row's number.
  std::uint32_t add(std::uint32_t track, const Span& span) {
    Spans& spans = run.tracks[track].spans;
    const auto row = static_cast<std::uint32_t>(spans.size());
    spans.start.push_back(span.start);
    spans.duration.push_back(span.duration);
    spans.name.push_back(run.strings.add(span.name));
    spans.kind.push_back(span.kind);
    spans.link.push_back(span.link);
    if (span.call_site != 0) spans.call_site.add(row, span.call_site);
    if (span.kind == SpanKind::copy || span.kind == SpanKind::fill)
      if (const auto copy = copy_named(span.name)) spans.copy.add(row, *copy);
    run.end_ns = std::max(run.end_ns, span.start + span.duration);
    return row;
  }
  // Of the row added last.
  std::uint32_t last_row(std::uint32_t track) const {
    return static_cast<std::uint32_t>(run.tracks[track].spans.size() - 1);
  }
  void set_bytes(std::uint32_t track, std::uint64_t bytes) {
    run.tracks[track].spans.bytes.add(last_row(track), bytes);
  }
  void add_step(std::uint32_t track, std::int64_t start, std::int64_t duration, int ops = -1,
                std::string_view phase = "train") {
    add(track, {start, duration, phase, SpanKind::step});
    if (ops >= 0) run.tracks[track].spans.ops.add(last_row(track), ops);
  }

  Run run;
};

}  // namespace laptime
