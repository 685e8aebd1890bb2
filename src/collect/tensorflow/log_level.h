// The lowest severity that TensorFlow's own log shows. TensorFlow's profiler logs several lines a
// session, which the program would not print without laptime.
#pragma once

namespace laptime::tensorflow {

inline constexpr int kErrorsOnly = 2;  // absl::LogSeverityAtLeast::kError

// Sets the level and returns the one before. -1: this TensorFlow does not export the setting, and
// nothing changed. Assumption: TensorFlow is loaded.
int set_log_level(int level);

}  // namespace laptime::tensorflow
