// xplane files for tests, made with protozero's writer.
#pragma once

#include <cstdint>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xplane/fields.h"

namespace laptime::xplane {

struct TestStat {
  std::string name;
  std::int64_t number = 0;
  std::string text = {};  // a reference, unless empty
};
struct TestEvent {
  std::string name;
  std::int64_t offset_ps = 0, duration_ps = 0;
  std::vector<TestStat> stats = {};
  std::string display_name = {};
};

class TestPlane {
 public:
  explicit TestPlane(std::string_view name) {
    plane_.add_int64(Plane::id, 0);
    plane_.add_string(Plane::name, name.data(), name.size());
  }
  TestPlane& line(std::int64_t id, std::string_view name, const std::vector<TestEvent>& events,
                  std::int64_t timestamp_ns = 0) {
    protozero::pbf_builder<Line> line(plane_, Plane::lines);
    line.add_int64(Line::id, id);
    line.add_string(Line::name, name.data(), name.size());
    line.add_int64(Line::timestamp_ns, timestamp_ns);
    for (const TestEvent& of : events) {
      protozero::pbf_builder<Event> event(line, Line::events);
      event.add_int64(Event::metadata_id, number(events_, {of.name, of.display_name}));
      event.add_int64(Event::offset_ps, of.offset_ps);
      event.add_int64(Event::duration_ps, of.duration_ps);
      for (const TestStat& stat : of.stats) add_stat(event, Event::stats, stat);
    }
    return *this;
  }
  TestPlane& stat(const TestStat& stat) {
    add_stat(plane_, Plane::stats, stat);
    return *this;
  }
  // Contract: called once.
  std::string bytes() {
    for (const auto& [names, id] : events_) add_name(Plane::event_metadata, id, names);
    for (const auto& [names, id] : stats_) add_name(Plane::stat_metadata, id, names);
    return bytes_;
  }

 private:
  using Names = std::map<std::pair<std::string, std::string>, std::int64_t>;

  static std::int64_t number(Names& names, const Names::key_type& key) {
    return names.try_emplace(key, static_cast<std::int64_t>(names.size() + 1)).first->second;
  }
  template <typename Builder, typename Tag>
  void add_stat(Builder& owner, Tag tag, const TestStat& of) {
    protozero::pbf_builder<Stat> stat(owner, tag);
    stat.add_int64(Stat::metadata_id, number(stats_, {of.name, ""}));
    if (of.text.empty())
      stat.add_int64(Stat::int64, of.number);
    else
      stat.add_uint64(Stat::reference, static_cast<std::uint64_t>(number(stats_, {of.text, ""})));
  }
  void add_name(Plane tag, std::int64_t id, const Names::key_type& names) {
    protozero::pbf_builder<Entry> entry(plane_, tag);
    entry.add_int64(Entry::key, id);
    protozero::pbf_builder<Metadata> metadata(entry, Entry::value);
    metadata.add_int64(Metadata::id, id);
    metadata.add_string(Metadata::name, names.first);
    if (!names.second.empty()) metadata.add_string(Metadata::display_name, names.second);
  }

  std::string bytes_;
  protozero::pbf_builder<Plane> plane_{bytes_};
  Names events_, stats_;
};

inline std::string xspace(const std::vector<std::string>& planes,
                          const std::string& host = "trainer") {
  std::string bytes;
  protozero::pbf_builder<Space> space(bytes);
  for (const std::string& plane : planes) space.add_message(Space::planes, plane);
  space.add_string(Space::hostnames, host);
  return bytes;
}

}  // namespace laptime::xplane
