#include "trace/run/span_load.h"

#include <algorithm>

#include "base/parallel.h"

namespace laptime {

namespace {

void move_rows(SpanColumns& spans, std::size_t from, std::size_t rows, std::size_t to) {
  const auto move = [&](auto& column) {
    if (!column.empty()) std::copy_n(column.begin() + from, rows, column.begin() + to);
  };
  move(spans.start);
  move(spans.duration);
  move(spans.name);
  move(spans.kind);
  move(spans.link);
}

void resize_columns(SpanColumns& spans, std::size_t rows, bool has_links) {
  spans.start.resize(rows);
  spans.duration.resize(rows);
  spans.name.resize(rows);
  spans.kind.resize(rows);
  if (has_links) spans.link.resize(rows);
}

// Maps rows to the run's clock and names. False if a time is invalid.
bool settle_rows(const SpanTarget& rows, std::size_t count, const IdMap& names, const ClockMap& map,
                 std::int64_t& last_ns) {
  ClockMap::Cursor clock(map);
  bool plausible = true;
  std::int64_t last = INT64_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_plausible_time(rows.start[i]) || rows.duration[i] >= kMaxTimeNs) [[unlikely]] {
      plausible = false;
      break;
    }
    const std::int64_t end = clock(rows.start[i] + rows.duration[i]);
    const std::int64_t start = clock(rows.start[i]);
    rows.start[i] = start;
    rows.duration[i] = end - start;
    rows.name[i] = names[rows.name[i]];
    last = std::max(last, end);
  }
  last_ns = last;
  return plausible;
}

// Sorts the arguments of a block into columns and maps them to the run's ids. Drops arguments of
// the wrong type and keys of a later version.
class ArgSorter {
 public:
  ArgSorter(const PartFacts& facts, SpanPayloads& payloads, ArgColumns& named)
      : facts_(facts), payloads_(payloads), named_(named) {}

  void add(std::uint32_t row, ArgKey key, ArgType type, std::uint64_t value) {
    switch (key) {
      case ArgKey::none:
        return;
      case ArgKey::call_site:
        return add_id(payloads_.call_site, row, type, ArgType::call_site, facts_.call_sites[value]);
      case ArgKey::bytes:
        return add_integer(payloads_.bytes, row, type, value);
      case ArgKey::copy:
        if (type == ArgType::integer) payloads_.copy.add(row, CopyInfo::unpack(value));
        return;
      case ArgKey::launch_config:
        return add_id(payloads_.launch_config, row, type, ArgType::launch_config,
                      facts_.launch_configs[value]);
      case ArgKey::autograd:
        return add_integer(payloads_.autograd, row, type, value);
      case ArgKey::graph_node:
        return add_integer(payloads_.graph_node, row, type, value);
      case ArgKey::device:
        return add_id(payloads_.device, row, type, ArgType::string, facts_.names[value]);
      case ArgKey::shapes:
        return add_id(payloads_.shapes, row, type, ArgType::string, facts_.names[value]);
      case ArgKey::types:
        return add_id(payloads_.types, row, type, ArgType::string, facts_.names[value]);
      case ArgKey::flops:
        return add_integer(payloads_.flops, row, type, value);
      case ArgKey::samples:
        return add_integer(payloads_.samples, row, type, value);
      case ArgKey::ops:
        return add_integer(payloads_.ops, row, type, value);
    }
    if (!is_well_known(key)) add_named(row, key, type, value);
  }

 private:
  static void add_id(SideColumn<std::uint32_t>& column, std::uint32_t row, ArgType type,
                     ArgType expected, std::uint32_t id) {
    if (type == expected && id != 0) column.add(row, id);
  }
  template <typename T>
  static void add_integer(SideColumn<T>& column, std::uint32_t row, ArgType type,
                          std::uint64_t value) {
    if (type == ArgType::integer) column.add(row, static_cast<T>(value));
  }
  void add_named(std::uint32_t row, ArgKey key, ArgType type, std::uint64_t value) {
    if (type == ArgType::string) value = facts_.names[value];
    if (type == ArgType::call_site) value = facts_.call_sites[value];
    if (type == ArgType::launch_config) value = facts_.launch_configs[value];
    named_.row.push_back(row);
    named_.key.push_back(named_key(facts_.names[string_of(key)]));
    named_.type.push_back(type);
    named_.value.push_back(value);
  }

  const PartFacts& facts_;
  SpanPayloads& payloads_;
  ArgColumns& named_;
};

void sort_args(const ArgColumns& args, const PartFacts& facts, SpanPayloads& payloads,
               ArgColumns& named) {
  ArgSorter sorter(facts, payloads, named);
  for (std::size_t i = 0; i < args.size(); ++i)
    sorter.add(args.row[i], args.key[i], args.type[i], args.value[i]);
}

}  // namespace

void SpanLoader::add(std::uint32_t track, const Block& block, const PartFacts& facts,
                     const ClockMap& clock) {
  if (plans_.size() <= track) plans_.resize(track + 1);
  TrackPlan& plan = plans_[track];
  plan.jobs.push_back(jobs_.size());
  jobs_.push_back({&block, &facts, &clock, track, plan.rows});
  plan.rows += block.summary.rows;
  plan.has_links |= block.summary.has_links;
}

SpanLoader::Outcome SpanLoader::load() {
  allocate();
  parallel_for(jobs_.size(), [&](std::size_t i) { decode(jobs_[i]); });
  Outcome outcome;
  for (const Job& job : jobs_) {
    if (job.good) outcome.last_ns = std::max(outcome.last_ns, job.last_ns);
    if (!job.good) plans_[job.track].damaged = true;
    outcome.damaged_blocks += !job.good;
  }
  for (std::size_t t = 0; t < plans_.size(); ++t) {
    if (plans_[t].damaged) remove_damaged(plans_[t], run_.tracks[t].spans);
    gather_args(plans_[t], run_.tracks[t].spans);
  }
  return outcome;
}

void SpanLoader::allocate() {
  for (std::size_t t = 0; t < plans_.size(); ++t)
    resize_columns(run_.tracks[t].spans, plans_[t].rows, plans_[t].has_links);
}

void SpanLoader::decode(Job& job) {
  SpanColumns& spans = run_.tracks[job.track].spans;
  ArgColumns args;
  const SpanTarget target{spans.start.data() + job.row,
                          spans.duration.data() + job.row,
                          spans.name.data() + job.row,
                          spans.kind.data() + job.row,
                          spans.link.empty() ? nullptr : spans.link.data() + job.row,
                          &args,
                          0};
  job.good =
      decode_spans(*job.block, target) &&
      settle_rows(target, job.block->summary.rows, job.facts->names, *job.clock, job.last_ns);
  if (job.good) sort_args(args, *job.facts, job.payloads, job.args);
}

void SpanLoader::remove_damaged(TrackPlan& plan, SpanColumns& spans) {
  std::size_t kept = 0;
  for (const std::size_t j : plan.jobs) {
    Job& job = jobs_[j];
    if (!job.good) continue;
    const std::size_t rows = job.block->summary.rows;
    if (kept != job.row) move_rows(spans, job.row, rows, kept);
    job.row = kept;
    kept += rows;
  }
  resize_columns(spans, kept, plan.has_links);
}

void SpanLoader::gather_args(const TrackPlan& plan, Spans& spans) {
  ArgColumns& args = spans.args;
  for (const std::size_t j : plan.jobs) {
    Job& job = jobs_[j];
    for (const std::uint32_t row : job.args.row)
      args.row.push_back(static_cast<std::uint32_t>(job.row) + row);
    args.key.insert(args.key.end(), job.args.key.begin(), job.args.key.end());
    args.type.insert(args.type.end(), job.args.type.begin(), job.args.type.end());
    args.value.insert(args.value.end(), job.args.value.begin(), job.args.value.end());
    job.args = {};
    SpanPayloads::for_each(static_cast<SpanPayloads&>(spans), job.payloads,
                           [&](auto& column, auto& of_block) {
                             column.append(of_block, static_cast<std::uint32_t>(job.row));
                             of_block = {};
                           });
  }
}

}  // namespace laptime
