// What a line of Python calls, as its text shows: no parser, and no knowledge of what names are
// bound to.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

namespace laptime {

// The calls' names as they are written, in their order: "torch.nn.utils.clip_grad_norm_", "model",
// ".mean" (of what another call returned). Texts in quotes and comments are left out.
std::vector<std::string_view> calls_in(std::string_view source);

// Whether the line calls something with such a beginning of its name (after the last dot) and gives
// it nothing that differs from call to call: no argument, or only texts, numbers and CONSTANTS.
bool calls_the_same(std::string_view source, std::initializer_list<std::string_view> beginnings);

// Whether the line repeats something itself: a comprehension, a generator, `while`.
bool has_own_loop(std::string_view source);

// Whether all that the line calls is torch's, the model's, the criterion's, a distribution's or the
// optimizer's: what a step consists of, which cannot be moved out of it. Of a line without calls it
// is not.
bool calls_framework_only(std::string_view source);

// Whether the source calls one of these functions: a word that ends with the name, right before a
// bracket.
bool calls_any(std::string_view source, std::initializer_list<std::string_view> names);

}  // namespace laptime
