// What is imagined to be different in a run: the changes of `laptime whatif`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace laptime::whatif {

// All that `pattern` names takes `factor` times as long: an op, a kernel, a scope (with * and ?) and all that is inside it; a line
// as FILE:LINE or a function of the program, its ops forward and backward and its own Python; or a category of the breakdown.
struct Scale {
  std::string pattern;
  double factor = 1;
  // What the factor may come to at best and at worst, where that is known from elsewhere.
  std::optional<double> best = {}, worst = {};
};

struct Changes {
  std::vector<Scale> scales;
  bool input_free = false;
  bool launch_free = false;          // the host's part of ops costs nothing: GPUs run what is launched back to back
  std::optional<unsigned> workers;   // processes that make batches; 0: the program makes them itself
  double batch = 1;                  // samples a step, as a factor

  bool empty() const { return scales.empty() && !input_free && !launch_free && !workers && batch == 1; }
  // Both at once; what `other` says of workers holds.
  void add(const Changes& other);
};

// One of them alone.
Changes scale_change(std::string pattern, double factor, double best, double worst);
Changes workers_change(unsigned workers);

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
// Whether a recorded file is the one that a pattern means: its whole path, or the end of it from a folder on.
bool is_file(std::string_view recorded, std::string_view wanted);

}  // namespace laptime::whatif
