// What is imagined to be different in a run: the changes of `laptime whatif`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace laptime::replay {

// All that `pattern` names takes `factor` times as long: an op, a kernel, a scope (with * and ?)
// and all that is inside it; a line as FILE:LINE or a function of the program, its ops forward and
// backward and its own Python; or a category of the breakdown.
struct Scale {
  std::string pattern;
  double factor = 1;
  // What the factor may come to at best and at worst, where that is known from elsewhere.
  std::optional<double> best = {}, worst = {};
};

// Kernels take `factor` times as long.
struct WorkScale {
  std::function<bool(std::string_view kernel, std::string_view op)> is;
  double factor = 1, best = 1, worst = 1;
  std::int64_t call_ns =
      0;  // what the launch of each then costs the host more: at best half of that, at worst twice
  std::string at = {};  // of this line only (FILE:LINE); empty: of all
};

// What a piece of advice brings to the steps of one thread and phase, as factors of their rate,
// where nothing is replayed.
struct KnownGain {
  std::uint32_t track = 0, phase = 0;  // Run::tracks, Run::strings
  double gain = 1, low = 1, high = 1;
};

// No change of these steps brings more than `most`.
struct GainBound {
  std::uint32_t track = 0, phase = 0;
  double most = 1;
};

struct Changes {
  std::vector<Scale> scales;
  std::vector<WorkScale> work;
  std::vector<std::string>
      no_waits;         // lines (FILE:LINE; "*": all) that do not wait for the GPU any more
  bool pinned = false;  // copies to a GPU are from pinned memory, and nobody waits for them
  bool packed = false;  // copies of a few bytes to and from a GPU go together, or are not made
  bool input_free = false;
  bool launch_free =
      false;  // the host's part of ops costs nothing: GPUs run what is launched back to back
  std::optional<unsigned> workers;  // processes that make batches; 0: the program makes them itself
  bool any_order = false;           // batches are taken as workers make them
  double batch = 1;                 // samples a step, as a factor
  std::vector<KnownGain> known_gains;  // they multiply what the replay gives
  std::optional<GainBound> bound;      // of all changes together

  // Both at once; what `other` says of workers holds.
  void add(const Changes& other);
};

// One of them alone.
Changes scale_change(std::string pattern, double factor, double best, double worst);
Changes workers_change(unsigned workers);
Changes any_order_change();
Changes work_change(std::function<bool(std::string_view kernel, std::string_view op)> is,
                    double factor, double best, double worst);

// How kind the world is to the change: what is expected, and the two ends of what may be.
enum class Outlook { expected, best, worst };

// "PATTERN=FACTOR", as 'aten::conv2d=0.5'.
Result<Scale> parse_scale(std::string_view text);
// "2x" or "2": a factor above 0.
Result<double> parse_batch(std::string_view text);

// A pattern that means a line.
struct LinePattern {
  std::string file;
  std::uint32_t line = 0;
};
std::optional<LinePattern> as_line(std::string_view pattern);
// Whether a recorded file is the one that a pattern means: its whole path, or the end of it from a
// folder on.
bool is_file(std::string_view recorded, std::string_view wanted);

}  // namespace laptime::replay
