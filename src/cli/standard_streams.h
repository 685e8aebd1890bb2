// stdin, stdout and stderr as this process inherited them: open, closed, full, or a pipe without a
// reader.
#pragma once

#include <string_view>

namespace laptime {

// Contract: called first in main. Keeps the numbers of closed streams occupied, so that no file of
// laptime is opened as stderr. A started program finds them closed.
void keep_closed_streams_closed();

// Best effort: what cannot be written is dropped, and causes no signal.
void to_stderr(std::string_view text);

// The same for one line to the user. It may contain names from a run: nothing in it reaches the
// terminal as a command.
void print_note(std::string_view line);

}  // namespace laptime
