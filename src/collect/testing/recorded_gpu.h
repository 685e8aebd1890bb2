// For tests of the collector: runs it with a fake CUPTI and reads the records back from the file.
#pragma once

#include <gtest/gtest.h>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "collect/cuda/cuda_collector.h"
#include "collect/testing/fake_cuda.h"
#include "format/reader.h"
#include "laptime/laptime.h"

namespace laptime::cuda {

inline constexpr std::uint32_t kLaunchKernel = 307, kStreamSynchronize = 126, kGraphLaunch = 514,
                               kCopyToPeer = 319;

struct ReadSpan {
  std::string track, name;
  SpanKind kind;
  std::int64_t start, end;
  std::uint64_t link;
  LaunchConfig config;
  CopyInfo copy;
  std::int64_t bytes, autograd;  // -1: none
  std::uint64_t call_site, graph_node;
};

// The records by kind.
struct ReadRun {
  std::vector<ReadSpan> spans;
  std::map<std::string, std::uint64_t> warnings;
  std::map<std::uint32_t, std::map<std::string, std::variant<std::string, std::int64_t>>>
      devices;  // their properties
  std::uint64_t file_bytes = 0;

  std::vector<ReadSpan> of(SpanKind kind) const {
    std::vector<ReadSpan> result;
    for (const ReadSpan& span : spans)
      if (span.kind == kind) result.push_back(span);
    return result;
  }
};

inline ReadRun read_run(const std::string& path) {
  const auto content = open_run(path);
  EXPECT_TRUE(content) << content.error().message;
  ReadRun run;
  run.file_bytes = content->file_bytes;
  for (const WarningCount& warning : content->warnings) run.warnings[warning.name] = warning.count;
  for (const PartContent& part : content->parts) {
    std::map<std::uint64_t, std::string> strings;
    std::map<std::uint32_t, std::uint32_t> tracks;
    std::map<std::uint64_t, LaunchConfig> configs;
    for (const Fact& fact : part.facts) {
      if (const auto* s = std::get_if<StringFact>(&fact)) strings[s->id] = s->text;
      if (const auto* c = std::get_if<LaunchConfigFact>(&fact)) configs[c->id] = c->config;
      if (const auto* t = std::get_if<TrackFact>(&fact)) tracks[t->id] = t->name;
      if (const auto* p = std::get_if<DevicePropertyFact>(&fact)) {
        auto& value = run.devices[p->device.index][std::string(p->key)];
        if (const auto* text = std::get_if<std::string_view>(&p->value)) value = std::string(*text);
        if (const auto* number = std::get_if<std::int64_t>(&p->value)) value = *number;
      }
    }
    for (const Block& block : part.blocks) {
      if (block.summary.table != TableType::spans) continue;
      SpanColumns columns;
      EXPECT_TRUE(decode_block(block, columns));
      const std::size_t first = run.spans.size();
      for (std::size_t i = 0; i < columns.size(); ++i)
        run.spans.push_back({strings[tracks[block.summary.track]],
                             strings[columns.name[i]],
                             columns.kind[i],
                             columns.start[i],
                             columns.end(i),
                             columns.link.empty() ? 0 : columns.link[i],
                             {},
                             {},
                             -1,
                             -1,
                             0,
                             0});
      for (std::size_t a = 0; a < columns.args.size(); ++a) {
        ReadSpan& span = run.spans[first + columns.args.row[a]];
        const std::uint64_t value = columns.args.value[a];
        const ArgKey key = columns.args.key[a];
        if (key == ArgKey::graph_node) span.graph_node = value;
        if (key == ArgKey::launch_config) span.config = configs[value];
        if (key == ArgKey::copy) span.copy = CopyInfo::unpack(value);
        if (key == ArgKey::bytes) span.bytes = static_cast<std::int64_t>(value);
        if (key == ArgKey::autograd) span.autograd = static_cast<std::int64_t>(value);
        if (key == ArgKey::call_site) span.call_site = value;
      }
    }
  }
  return run;
}

class CudaCollectorTest : public ::testing::Test {
 protected:
  CudaCollectorTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "laptime-cuda-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    EXPECT_EQ(laptime_start((folder_ + "/run.lap").c_str(), nullptr), 0);
  }
  ~CudaCollectorTest() override {
    laptime_stop();
    std::filesystem::remove_all(folder_);
  }
  ReadRun stop_and_read() {
    gpu.flush();
    EXPECT_EQ(laptime_stop(), 0);
    return read_run(folder_ + "/run.lap");
  }
  void tick(int times) {
    for (int i = 0; i < times; ++i) gpu.tick();
  }
  // Until the state is reached, or cannot be reached any more.
  void tick_until(State state) {
    for (int i = 0; i < 10 && gpu.state() != state; ++i) gpu.tick();
    ASSERT_EQ(gpu.state(), state);
  }

  std::string folder_;
  FakeCuda& api = *new FakeCuda;  // as in a program, neither is ever destroyed
  CudaCollector& gpu = *new CudaCollector(api);
};

}  // namespace laptime::cuda
