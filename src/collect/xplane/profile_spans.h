// The spans of a profile of this process, with ids of the recorder's texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "xplane/plane_reader.h"
#include "xplane/span_row.h"

namespace laptime {

class ProfileSpans : private PlaneVisitor, private SpanTexts {
 public:
  struct Span {
    SpanRow row;                 // times: ns since the session's begin or the profile's start
    std::uint64_t run = 0;       // of a function, 0: none, or `function` is known
    std::uint32_t function = 0;  // a text: the compiled function that an op ran in
    std::uint32_t op = 0;        // a text: the op's full name, or the XLA instruction
  };
  struct Line {
    PlaneType type;
    std::uint32_t device;
    std::uint64_t id;
    std::string_view name;
    bool counts_from_begin;  // else from the profile's start
    std::vector<Span> spans;
  };
  struct Filter {
    bool input_hooked = false;     // waits for input are recorded by other means
    bool dispatch_hooked = false;  // calls of compiled functions are
  };

  // `begin`: of the session, ns since 1970.
  ProfileSpans(Filter filter, std::int64_t begin);

  // False for damaged bytes; what was read before is kept. Names are views into `space`.
  bool read(ByteView space);

  const std::vector<Line>& lines() const { return lines_; }
  // When a line's times are 0, in ns after the session's begin. Contract: all is read.
  std::int64_t zero_of(const Line& line) const {
    return line.counts_from_begin ? 0 : start_.value_or(begin_) - begin_;
  }
  // Contract: all is read.
  std::uint32_t function_of(const Span& span) const;
  // Whether a function of an input pipeline ran the op. Then function_of is `input_function`.
  // Contract: all is read.
  bool is_of_pipeline(const Span& span) const;
  std::uint32_t input_function() const { return input_function_; }

 private:
  struct OpenRun {
    std::int64_t end;
    std::uint64_t run;
    std::uint32_t function;
  };

  std::optional<std::int64_t> begin_line(const LineHead& head) override;
  void add(const PlaneSpan& span) override;
  bool end_line() override { return true; }
  void leave_out(LeftOut) override {}
  void add_plane_stat(const StatValue& value) override;

  std::uint32_t text(std::string_view text) override;
  std::uint32_t launch_config(const LaunchConfig& config) override;
  std::uint32_t device(Device device) override;

  void read_plane(ByteView plane);
  void follow_runs(const PlaneSpan& span);
  bool is_wanted(const PlaneSpan& span) const;
  void add_origin(Span& span) const;

  const Filter filter_;
  const std::int64_t begin_;
  const ArgKey op_key_, module_key_;
  const std::uint32_t input_function_;   // a text
  const PlaneReader* reader_ = nullptr;  // of the current plane
  std::vector<Line> lines_;
  std::vector<OpenRun> open_;  // of the current line; the last one is the innermost
  std::unordered_map<std::uint64_t, std::uint32_t> functions_;  // by run
  std::unordered_set<std::uint64_t> input_runs_;                // of functions of pipelines
  std::optional<std::int64_t> start_;                           // of the profile, ns since 1970
};

}  // namespace laptime
