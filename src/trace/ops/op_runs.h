// Runs of ops, made in a few lines: for unit tests.
#pragma once

#include <algorithm>
#include <string_view>

#include "trace/run/run.h"

namespace laptime {

class OpRun {
 public:
  OpRun() {
    run.codes.emplace_back();
    run.places.emplace_back();
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
  std::uint32_t place(std::uint32_t line, std::string_view module = "") {
    run.places.push_back({1, line, run.strings.add(module)});
    return static_cast<std::uint32_t>(run.places.size() - 1);
  }

  struct Span {
    std::int64_t start, duration;
    std::string_view name;
    SpanKind kind = SpanKind::op;
    std::uint64_t link = 0;
    std::uint32_t place = 0;
  };
  // The row's number.
  std::uint32_t add(std::uint32_t track, const Span& span) {
    SpanColumns& spans = run.tracks[track].spans;
    const auto row = static_cast<std::uint32_t>(spans.size());
    spans.start.push_back(span.start);
    spans.duration.push_back(span.duration);
    spans.name.push_back(run.strings.add(span.name));
    spans.kind.push_back(span.kind);
    spans.link.push_back(span.link);
    if (span.place != 0) add_arg(track, "", ArgType::place, span.place);
    run.end_ns = std::max(run.end_ns, span.start + span.duration);
    return row;
  }
  // An argument of the row added last.
  void add_arg(std::uint32_t track, std::string_view key, ArgType type, std::uint64_t value) {
    SpanColumns& spans = run.tracks[track].spans;
    spans.args.row.push_back(static_cast<std::uint32_t>(spans.size() - 1));
    spans.args.key.push_back(run.strings.add(key));
    spans.args.type.push_back(type);
    spans.args.value.push_back(value);
  }
  void add_step(std::uint32_t track, std::int64_t start, std::int64_t duration, int ops = -1,
                std::string_view phase = "train") {
    add(track, {start, duration, phase, SpanKind::step});
    if (ops >= 0) add_arg(track, "ops", ArgType::integer, static_cast<std::uint64_t>(ops));
  }

  Run run;
};

}  // namespace laptime
