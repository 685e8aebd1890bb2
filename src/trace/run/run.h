// A loaded run: columns in memory, names resolved to one table, all times on one clock.
//
// Times are nanoseconds since the run's start (the earliest moment any part knows of). Span rows of
// a thread's track are in the order of their ends, as they were recorded: children stand before
// their parent (trace/run/nesting.h uses it). Names, argument keys and string arguments are ids of
// Run::strings; codes and callers are rows of Run::codes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/columns.h"
#include "format/facts.h"
#include "format/reader.h"
#include "trace/run/launch_configs.h"
#include "trace/run/properties.h"
#include "trace/run/spans.h"
#include "trace/run/string_table.h"

namespace laptime {

struct Process {
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  Properties properties;
  std::map<Device, Properties> devices;  // that it described
  std::int64_t started_at_ns = 0;        // since the run's start
};

struct Track {
  std::uint32_t process = 0;  // index into Run::processes
  TrackKind kind = TrackKind::thread;
  std::uint64_t os_id = 0;
  std::string name;  // never empty: "thread 1234" where the program gave none
  Spans spans;
  ValueColumns values;
  TallyColumns tallies;
};

struct Code {
  std::uint32_t file = 0, name = 0;
  std::uint32_t first_line = 0;
  std::uint32_t flags = 0;  // CodeFlags
};

struct CallSite {
  std::uint32_t code = 0;  // Run::codes
  std::uint32_t line = 0;
  std::uint32_t module = 0;  // string id: path in the model, 0 none
  std::uint32_t frame = 0;   // Run::call_frames: the innermost, 0 unknown
};

struct CallFrame {
  std::uint32_t caller = 0;  // Run::call_frames, an earlier row; 0: nobody
  std::uint32_t code = 0;    // Run::codes
  std::uint32_t line = 0;
};

// The texts of the program's own files, as the recording stored them; by file name. `text` is
// packed (format/sources/source_text.h).
struct SourceText {
  std::uint32_t raw_size = 0;
  std::string text;
};
// Nothing where it is damaged.
std::optional<std::string> unpack(const SourceText& source);
using SourceTexts = std::map<std::string, SourceText, std::less<>>;

struct Run {
  std::string path;
  std::uint64_t file_bytes = 0;
  bool sealed = false;
  std::int64_t start_realtime_ns = 0;  // the date of time 0, 0 when unknown
  std::int64_t end_ns = 0;             // latest moment recorded
  Properties properties;               // of the run as a whole: what `laptime run` saw from outside
  StringTable strings;
  std::vector<Process>
      processes;  // in the order of their start; the first is the one that was asked to record
  std::vector<Track> tracks;           // by process, then in the order of their numbers
  std::vector<Code> codes;             // row 0 is the unknown code
  std::vector<CallSite> call_sites;    // row 0 is the unknown call site
  std::vector<CallFrame> call_frames;  // row 0 is no frame
  LaunchConfigs launch_configs;
  std::map<std::uint32_t, Device> devices;  // by the string id of the name that records carry
  SourceTexts sources;
  std::vector<WarningCount> warnings;

  std::size_t span_count() const;
  // The device that records mean by a name; unknown if no process described the name.
  std::optional<Device> device(std::uint32_t name) const;
  bool is_cpu(std::uint32_t name) const { return device(name) == Device{DeviceKind::cpu, 0}; }
  // Bytes that the decoded columns take.
  std::size_t column_bytes() const;
};

// Errors: those of open_run, and a run whose columns do not fit into memory.
Result<Run> load_run(const std::string& path);
Result<Run> load_run(RunContent content, const std::string& path);

}  // namespace laptime
