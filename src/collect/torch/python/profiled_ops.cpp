#include "collect/torch/python/profiled_ops.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/tick_line.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/op_callbacks.h"
#include "collect/torch/op_names.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

using Moment = std::tuple<std::uint64_t, std::uint64_t>;  // ticks, ns of the real-time clock
// name, start and end (ns of the real-time clock), scope, sequence number, forward thread, thread
// (0: the caller's own), shapes, FLOPs
using Row = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint32_t, std::int64_t,
                       std::uint64_t, std::uint64_t, std::string, std::uint64_t>;

Moment clock_point() {
  const ClockPoint point = read_clock_point();
  return {point.ticks, point.realtime_ns};
}

// Threads that the profiler saw and the recorder did not get one track each per recording.
std::uint16_t track_of(std::uint64_t thread) {
  static std::map<std::uint64_t, std::uint16_t> tracks;
  static std::uint32_t epoch = 0;
  if (std::exchange(epoch, record::epoch()) != record::epoch()) tracks.clear();
  const auto [at, is_new] = tracks.try_emplace(thread, 0);
  if (is_new)
    at->second = record::add_track(TrackKind::thread, thread, "torch " + std::to_string(thread));
  return at->second;
}

void put_row(const Row& row, const TickLine& line) {
  const auto& [name, start, end, scope, sequence, forward, thread, shapes, flops] = row;
  OpFacts facts = describe_name(name, 0);
  if (scope != kScopeFunction) classify_by_scope(scope, facts.tail, facts.traits);
  const SpanKind kind = OpTail::of(facts.tail).kind;
  record::Arg args[2];
  std::uint32_t count = 0;
  if (!shapes.empty()) args[count++] = {ArgKey::shapes, ArgType::string, record::intern(shapes)};
  if (flops != 0) args[count++] = {ArgKey::flops, ArgType::integer, flops};
  const std::uint64_t link = OpLink::pack(0, static_cast<std::uint8_t>(forward), sequence);
  if (thread == 0)
    record::put_op({line.at(start), line.at(end), link, record::intern(name), kind}, args, count);
  else
    record::put_span({line.at(start), line.at(end), record::intern(name), kind, track_of(thread),
                      OpLink::autograd(link)},
                     args, count);
}

}  // namespace

void bind_profiled_ops(nb::module_& module) {
  module.def("clock_point", &clock_point);
  module.def("put_profiled", [](Moment from, Moment to, const std::vector<Row>& rows) {
    const TickLine line({std::get<0>(from), std::get<1>(from)}, {std::get<0>(to), std::get<1>(to)});
    for (const Row& row : rows) put_row(row, line);
  });
}

}  // namespace laptime::torch
