// The changes of `laptime whatif`: hypothetical differences from a recorded run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace laptime::replay {

// Everything that `pattern` names takes `factor` times as long. A pattern names one of these:
// - an op, a kernel or a scope (with * and ?), and all that is inside it,
// - a line as FILE:LINE, or a function of the program: its ops forward and backward, and its own
//   Python,
// - a category of the breakdown.
struct Scale {
  std::string pattern;
  double factor = 1;
  // The best and the worst factor, if they are known from elsewhere.
  std::optional<double> best = {}, worst = {};
};

// Kernels take `factor` times as long.
struct WorkScale {
  std::function<bool(std::string_view kernel, std::string_view op)> is;
  double factor = 1, best = 1, worst = 1;
  // The host's additional cost for each launch: at best half of it, at worst twice.
  std::int64_t call_ns = 0;
  std::string at = {};  // only of this line (FILE:LINE); empty: of all
};

// The gain that a piece of advice gives the steps of one thread and phase, as a factor of their
// rate, if nothing is replayed.
struct KnownGain {
  std::uint32_t track = 0, phase = 0;  // Run::tracks, Run::strings
  double gain = 1, low = 1, high = 1;
};

// All changes together bring these steps no more than `most`.
struct GainBound {
  std::uint32_t track = 0, phase = 0;
  double most = 1;
};

struct Changes {
  std::vector<Scale> scales;
  std::vector<WorkScale> work;
  // Lines (FILE:LINE; "*": all) that no longer wait for the GPU.
  std::vector<std::string> no_waits;
  bool pinned = false;  // copies to a GPU are from pinned memory and do not block
  bool packed = false;  // copies of a few bytes to and from a GPU are combined or avoided
  bool input_free = false;
  // The host's part of ops is free: GPUs run launched work back to back.
  bool launch_free = false;
  std::optional<unsigned> workers;     // processes that make batches; 0: the program itself
  bool any_order = false;              // batches are taken as soon as they are made
  double batch = 1;                    // samples a step, as a factor
  std::vector<KnownGain> known_gains;  // multiplied with the replay's gain
  std::optional<GainBound> bound;      // of all changes together

  // Adds `other`. Its workers replace these.
  void add(const Changes& other);
};

// One Scale alone.
Changes scale_change(std::string pattern, double factor, double best, double worst);
Changes workers_change(unsigned workers);
Changes any_order_change();
Changes work_change(std::function<bool(std::string_view kernel, std::string_view op)> is,
                    double factor, double best, double worst);

// How favourable the unknowns are: what is expected, and both ends of what is possible.
enum class Outlook { expected, best, worst };

// "PATTERN=FACTOR", as 'aten::conv2d=0.5'.
Result<Scale> parse_scale(std::string_view text);
// "2x" or "2": a factor above 0.
Result<double> parse_batch(std::string_view text);

// A pattern that names a line.
struct LinePattern {
  std::string file;
  std::uint32_t line = 0;
};
std::optional<LinePattern> as_line(std::string_view pattern);
// Whether `wanted` is the recorded file's complete path, or the end of it from a folder on.
bool is_file(std::string_view recorded, std::string_view wanted);

}  // namespace laptime::replay
