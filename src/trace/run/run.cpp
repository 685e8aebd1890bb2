#include "trace/run/run.h"

#include "format/sources/source_text.h"

namespace laptime {

std::optional<std::string> unpack(const SourceText& source) {
  return unpack_source(source.text, source.raw_size);
}

namespace {

template <typename... Columns>
std::size_t bytes_of(const Columns&... columns) {
  return (0 + ... + (columns.size() * sizeof(*columns.data())));
}

std::size_t bytes_of_track(const Track& t) {
  const Spans& s = t.spans;
  const TallyColumns& y = t.tallies;
  std::size_t payloads = 0;
  SpanPayloads::for_each(s, s, [&](const auto& column, const auto&) {
    payloads += bytes_of(column.row, column.value);
  });
  return payloads +
         bytes_of(s.start, s.duration, s.name, s.kind, s.link, s.args.row, s.args.key, s.args.type,
                  s.args.value) +
         bytes_of(t.values.time, t.values.name, t.values.value) +
         bytes_of(y.kind, y.step, y.code, y.where, y.hits, y.inclusive, y.exclusive, y.extra_hits,
                  y.extra_ns);
}

}  // namespace

std::optional<Device> Run::device(std::uint32_t name) const {
  const auto it = devices.find(name);
  return it == devices.end() ? std::nullopt : std::optional(it->second);
}

std::size_t Run::span_count() const {
  std::size_t n = 0;
  for (const Track& t : tracks) n += t.spans.size();
  return n;
}

std::size_t Run::column_bytes() const {
  std::size_t n = 0;
  for (const Track& t : tracks) n += bytes_of_track(t);
  return n;
}

}  // namespace laptime
