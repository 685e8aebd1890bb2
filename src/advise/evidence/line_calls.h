// The calls in a line of Python, judged by its text only. There is no parser, and the meaning of
// names is unknown.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

namespace laptime {

// The names of calls as written, in order: "torch.nn.utils.clip_grad_norm_", "model", ".mean" (a
// call on another call's result). Quoted texts and comments are ignored.
std::vector<std::string_view> calls_in(std::string_view source);

// Whether a call's name (after the last dot) has one of the beginnings and its arguments are the
// same each time: none, or only texts, numbers and CONSTANTS.
bool calls_the_same(std::string_view source, std::initializer_list<std::string_view> beginnings);

// Whether the line contains a loop: a comprehension, a generator, `while`.
bool has_own_loop(std::string_view source);

// Whether all calls of the line are torch's, the model's, the criterion's, a distribution's or the
// optimizer's. Such calls are the step itself and cannot be moved out of it. False for a line
// without calls.
bool calls_framework_only(std::string_view source);

// Whether the source calls one of these functions: a word that ends with the name, directly before
// a bracket.
bool calls_any(std::string_view source, std::initializer_list<std::string_view> names);

}  // namespace laptime
