#include "trace/input/pipeline_stages.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "format/names.h"
#include "trace/run/nesting.h"

namespace laptime {

namespace {

constexpr std::string_view kSeparator = "::";

std::vector<std::string_view> split(std::string_view pipeline) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = pipeline.find(kSeparator)) != std::string_view::npos;
       pipeline.remove_prefix(end + kSeparator.size()))
    parts.push_back(pipeline.substr(0, end));
  parts.push_back(pipeline);
  return parts;
}

// Whether the stage has threads of its own, as TensorFlow names such stages.
bool works_ahead(std::string_view stage) {
  for (const std::string_view name :
       {"Prefetch", "Parallel", "LegacyParallel", "MapAndBatch", "ParseExample", "DataService"})
    if (stage.starts_with(name)) return true;
  return false;
}

using Parts = std::vector<std::string_view>;
using Stages = std::map<std::pair<std::uint32_t, Parts>, PipelineStage>;

class StageReader {
 public:
  StageReader(const Run& run, Stages& stages)
      : run_(run),
        stages_(stages),
        pipeline_key_(run.strings.find(arg_name::kPipeline)),
        buffered_key_(run.strings.find(arg_name::kBufferedElements)),
        parallelism_key_(run.strings.find(arg_name::kParallelism)) {}

  void add(const Track& track) {
    const SpanColumns& spans = track.spans;
    for_each_self_time(
        spans, [](SpanKind kind) { return kind == SpanKind::stage; },
        [&](std::uint32_t row, std::int64_t self_ns) { add(track, row, self_ns); });
  }

 private:
  void add(const Track& track, std::uint32_t row, std::int64_t self_ns) {
    const ArgColumns& args = track.spans.args;
    const auto [first, last] = std::equal_range(args.row.begin(), args.row.end(), row);
    const auto begin = static_cast<std::size_t>(first - args.row.begin()),
               end = static_cast<std::size_t>(last - args.row.begin());
    PipelineStage& stage = stage_of(track, row, begin, end);
    ++stage.calls;
    stage.total_ns += track.spans.duration[row];
    stage.self_ns += self_ns;
    for (std::size_t i = begin; i < end; ++i) {
      if (args.type[i] != ArgType::integer) continue;
      const auto value = static_cast<std::int64_t>(args.value[i]);
      if (string_of(args.key[i]) == buffered_key_)
        ++stage.buffered_calls, stage.buffered += static_cast<double>(value);
      if (string_of(args.key[i]) == parallelism_key_)
        stage.parallelism = std::max(stage.parallelism, value);
    }
  }
  // A span without a long name is a pipeline of one stage.
  PipelineStage& stage_of(const Track& track, std::uint32_t row, std::size_t begin,
                          std::size_t end) {
    const ArgColumns& args = track.spans.args;
    std::uint32_t pipeline = track.spans.name[row];
    for (std::size_t i = begin; i < end; ++i)
      if (string_of(args.key[i]) == pipeline_key_ && args.type[i] == ArgType::string)
        pipeline = static_cast<std::uint32_t>(args.value[i]);
    PipelineStage*& known = known_[{track.process, pipeline}];
    if (known == nullptr) {
      const std::string_view text = run_.strings[pipeline];
      known = &stages_[{track.process, split(text)}];
      known->process = track.process;
      known->pipeline = text;
      known->name = run_.strings[track.spans.name[row]];
    }
    return *known;
  }

  const Run& run_;
  Stages& stages_;
  std::uint32_t pipeline_key_, buffered_key_, parallelism_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, PipelineStage*> known_;
};

}  // namespace

bool PipelineStage::only_waits() const { return name.starts_with("Prefetch"); }

std::vector<PipelineStage> find_pipeline_stages(const Run& run) {
  Stages stages;
  StageReader reader(run, stages);
  for (const Track& track : run.tracks) reader.add(track);
  std::map<std::uint32_t, std::size_t> outermost;  // by process: the fewest parts
  for (const auto& [key, stage] : stages) {
    const std::size_t parts = key.second.size();
    const auto [it, is_new] = outermost.try_emplace(key.first, parts);
    if (!is_new) it->second = std::min(it->second, parts);
  }
  std::vector<PipelineStage> result;
  for (auto& [key, stage] : stages) {
    const Parts& parts = key.second;
    stage.depth = static_cast<std::uint32_t>(parts.size() - outermost[key.first]);
    stage.background = std::any_of(parts.begin(), parts.end() - 1, works_ahead);
    result.push_back(stage);
  }
  return result;
}

}  // namespace laptime
