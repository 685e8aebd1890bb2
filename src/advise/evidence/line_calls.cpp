#include "advise/evidence/line_calls.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace laptime {

namespace {

bool calls_function(std::string_view source, std::string_view name) {
  const auto is_ascii_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = 0; (at = source.find(name, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + name.size();
    if (end < source.size() && source[end] == '(' && (at == 0 || !is_ascii_word(source[at - 1])))
      return true;
  }
  return false;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The end of the quoted text that begins at `at`.
std::size_t after_text(std::string_view source, std::size_t at) {
  const char quote = source[at];
  const std::string triple(3, quote);
  if (source.substr(at, 3) == triple) {
    const std::size_t end = source.find(triple, at + 3);
    return end == std::string_view::npos ? source.size() : end + 3;
  }
  for (++at; at < source.size() && source[at] != quote; ++at)
    if (source[at] == '\\') ++at;
  return std::min(at + 1, source.size());
}

// Calls visit with each piece of the source: a dotted name, or one other character.
template <typename Visit>
void for_each_piece(std::string_view source, Visit visit) {
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (c == '#') return;
    if (c == '"' || c == '\'') {
      at = after_text(source, at);
      continue;
    }
    std::size_t end = at;
    while (end < source.size() && (is_word(source[end]) || source[end] == '.')) ++end;
    if (end == at) ++end;
    visit(source.substr(at, end - at), end);
    at = end;
  }
}

std::string_view first_of(std::string_view name) { return name.substr(0, name.find('.')); }
std::string_view last_of(std::string_view name) { return name.substr(name.rfind('.') + 1); }

constexpr std::string_view kKeywords[] = {"if",    "elif",   "while", "and",    "or",     "not",
                                          "in",    "is",     "for",   "return", "assert", "await",
                                          "yield", "lambda", "del",   "raise",  "else",   "with",
                                          "print", "async",  "except"};
constexpr std::string_view kModules[] = {
    "torch",         "F",          "nn",          "dist",   "optim",  "functional",
    "distributions", "transforms", "accelerator", "fabric", "scaler", "scheduler",
    "lr_scheduler",  "trainer",    "engine"};
// Names of callables, alone or as an attribute.
constexpr std::string_view kCallables[] = {
    "model",         "net",           "network",         "module",
    "encoder",       "decoder",       "backbone",        "head",
    "policy",        "actor",         "critic",          "generator",
    "discriminator", "teacher",       "student",         "criterion",
    "loss_fn",       "loss_function", "loss_func",       "objective",
    "forward",       "compute_loss",  "training_step",   "backward",
    "step",          "zero_grad",     "manual_backward", "optimizer_step",
    "super"};
// Methods and functions of torch that are mostly called on tensors, parameters and distributions.
constexpr std::string_view kMethods[] = {"clip_grad_norm_",
                                         "clip_grad_value_",
                                         "clip_gradients",
                                         "log_prob",
                                         "sample",
                                         "rsample",
                                         "entropy",
                                         "kl_divergence",
                                         "Normal",
                                         "Categorical",
                                         "Bernoulli",
                                         "MultivariateNormal",
                                         "Independent",
                                         "cross_entropy",
                                         "mse_loss",
                                         "nll_loss",
                                         "l1_loss",
                                         "smooth_l1_loss",
                                         "huber_loss",
                                         "binary_cross_entropy",
                                         "binary_cross_entropy_with_logits",
                                         "kl_div",
                                         "softmax",
                                         "log_softmax",
                                         "scale",
                                         "unscale_",
                                         "parameters",
                                         "named_parameters",
                                         "state_dict",
                                         "load_state_dict",
                                         "register_hook",
                                         "requires_grad_",
                                         "detach",
                                         "item",
                                         "to",
                                         "cuda",
                                         "cpu",
                                         "numpy",
                                         "backward",
                                         "mean",
                                         "sum",
                                         "view",
                                         "reshape",
                                         "size",
                                         "dim",
                                         "unsqueeze",
                                         "squeeze",
                                         "permute",
                                         "transpose",
                                         "contiguous",
                                         "float",
                                         "long",
                                         "argmax",
                                         "max",
                                         "min",
                                         "gather",
                                         "eq",
                                         "clone",
                                         "flatten",
                                         "manual_seed",
                                         "synchronize",
                                         "empty_cache",
                                         "update_parameters",
                                         "len",
                                         "range",
                                         "isinstance",
                                         "hasattr",
                                         "getattr",
                                         "autocast",
                                         "no_grad",
                                         "train",
                                         "eval"};

bool is_frameworks(std::string_view call) {
  // self.model.encoder: any part except the last may be the name of a package or a model.
  for (std::string_view rest = call; !rest.empty();) {
    const std::string_view part = first_of(rest);
    if (part.size() < rest.size()
            ? is_one_of(part, kModules) || is_one_of(part, kCallables) || part == "optimizer"
            : is_one_of(part, kCallables))
      return true;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return is_one_of(last_of(call), kMethods);
}

constexpr std::string_view kConstants[] = {"True", "False", "None"};

// "ROWS_2"
bool is_constant(std::string_view name) {
  return std::ranges::none_of(name, [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
  });
}

// Whether the brackets at the text's begin contain only texts, numbers and constants.
bool takes_constants_only(std::string_view from_bracket) {
  int depth = 0;
  bool done = false, constant = true;
  std::string_view name;  // judged by the next piece: `name=` is no argument
  const auto settle = [&] {
    constant &= name.empty() || is_constant(name) || is_one_of(name, kConstants);
  };
  for_each_piece(from_bracket, [&](std::string_view piece, std::size_t) {
    if (done || std::isspace(static_cast<unsigned char>(piece.front()))) return;
    if (piece != "=") settle();
    name = is_word(piece.front()) && !std::isdigit(static_cast<unsigned char>(piece.front()))
               ? piece
               : std::string_view();
    depth += piece == "(" ? 1 : piece == ")" ? -1 : 0;
    done = depth == 0;
  });
  return done && constant;
}

}  // namespace

bool calls_the_same(std::string_view source, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(calls_in(source), [&](std::string_view call) {
    const std::string_view name = last_of(call);
    return std::ranges::any_of(
               beginnings,
               [&](std::string_view beginning) { return name.starts_with(beginning); }) &&
           takes_constants_only(
               source.substr(static_cast<std::size_t>(call.data() - source.data()) + call.size()));
  });
}

std::vector<std::string_view> calls_in(std::string_view source) {
  std::vector<std::string_view> calls;
  std::string_view before;
  for_each_piece(source, [&](std::string_view piece, std::size_t end) {
    const bool is_name = is_word(piece.front()) || piece.front() == '.';
    if (is_name && before != "def" && before != "class" && !is_one_of(piece, kKeywords) &&
        end < source.size() && source[end] == '(')
      calls.push_back(piece);
    if (!std::isspace(static_cast<unsigned char>(piece.front()))) before = piece;
  });
  return calls;
}

bool has_own_loop(std::string_view source) {
  bool found = false;
  for_each_piece(source, [&](std::string_view piece, std::size_t) {
    found |= piece == "for" || piece == "while";
  });
  return found || std::ranges::any_of(calls_in(source), [](std::string_view call) {
           return call == "map" || call == "filter";
         });
}

bool calls_framework_only(std::string_view source) {
  const std::vector<std::string_view> calls = calls_in(source);
  return !calls.empty() && std::ranges::all_of(calls, is_frameworks);
}

bool calls_any(std::string_view source, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return calls_function(source, name); });
}

}  // namespace laptime
