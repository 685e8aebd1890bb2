// stdin, stdout and stderr as they were given to us: open, closed, full or a pipe that nobody
// reads.
#pragma once

#include <string_view>

namespace laptime {

// Call first in main. Keeps the numbers of closed streams occupied, so that no file of ours is ever
// opened as stderr. A program that is started finds them closed.
void keep_closed_streams_closed();

// Best effort: what cannot be written is dropped, and no signal comes of it.
void to_stderr(std::string_view text);

// The same of one line for the user. It may hold names from a run: nothing in it reaches the
// terminal as a command.
void print_note(std::string_view line);

}  // namespace laptime
