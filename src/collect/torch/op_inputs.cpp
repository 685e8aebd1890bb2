#include "collect/torch/op_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace laptime::torch {

namespace {

struct Head {
  InputKind kind;
  int type;
  std::size_t count;
};
Head read_head(std::int64_t word) {
  return {static_cast<InputKind>(word & 0xFF), static_cast<int>(word >> 8 & 0xFF),
          static_cast<std::size_t>(word >> 16)};
}

// The number of words that a tensor list's tensors take. npos if the words end too early.
std::size_t list_words(Numbers words, std::size_t tensors) {
  std::size_t taken = 0;
  for (; tensors > 0; --tensors) {
    if (taken >= words.size()) return words.size() + 1;
    taken += 1 + read_head(words[taken]).count;
  }
  return taken;
}

std::string list_text(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <typename Text>
std::vector<std::string> texts_of(OpInputs inputs, Text text) {
  std::vector<std::string> texts;
  while (const auto input = inputs.next()) texts.push_back(text(*input));
  return texts;
}

std::string shape_of(const OpInput& input) {
  if (input.kind == InputKind::tensor) return fmt::format("[{}]", fmt::join(input.numbers, ", "));
  return input.kind == InputKind::tensor_list
             ? list_text(texts_of(OpInputs(input.numbers), shape_of))
             : "[]";
}

// The C++ type of torch's ScalarType, as c10 names it.
std::string_view type_name(int type) {
  constexpr std::string_view kNames[] = {"unsigned char",
                                         "signed char",
                                         "short int",
                                         "int",
                                         "long int",
                                         "c10::Half",
                                         "float",
                                         "double",
                                         "c10::complex<c10::Half>",
                                         "c10::complex<float>",
                                         "c10::complex<double>",
                                         "bool",
                                         "c10::qint8",
                                         "c10::quint8",
                                         "c10::qint32",
                                         "c10::BFloat16",
                                         "c10::quint4x2",
                                         "c10::quint2x4",
                                         "c10::bits1x8",
                                         "c10::bits2x4",
                                         "c10::bits4x2",
                                         "c10::bits8",
                                         "c10::bits16",
                                         "c10::Float8_e5m2",
                                         "c10::Float8_e4m3fn",
                                         "c10::Float8_e5m2fnuz",
                                         "c10::Float8_e4m3fnuz",
                                         "short unsigned int",
                                         "unsigned int",
                                         "long unsigned int"};
  return static_cast<std::size_t>(type) < std::size(kNames) ? kNames[type] : "";
}

std::string_view type_of(const OpInput& input) {
  switch (input.kind) {
    case InputKind::tensor:
      return type_name(input.type);
    case InputKind::tensor_list:
      return "TensorList";
    case InputKind::integers:
    case InputKind::scalars:
      return "ScalarList";
    case InputKind::integer:
    case InputKind::scalar:
      return "Scalar";
    case InputKind::other:
      break;
  }
  return "";
}

// `nothing` replaces a text that is left out. It and the separator have two characters each.
std::string text_within(std::vector<std::string> texts, std::string_view nothing,
                        std::size_t longest) {
  texts.resize(std::min(texts.size(), longest / 4));
  std::size_t length = 2;
  for (const std::string& text : texts) length += text.size() + 2;
  std::vector<std::size_t> by_length(texts.size());
  std::iota(by_length.rbegin(), by_length.rend(), std::size_t{0});
  std::ranges::stable_sort(by_length, std::greater{},
                           [&](std::size_t i) { return texts[i].size(); });
  for (std::size_t next = 0; length > longest + 2 && next < by_length.size(); ++next) {
    std::string& left_out = texts[by_length[next]];
    length -= left_out.size() - nothing.size();
    left_out = nothing;
  }
  return list_text(texts);
}

}  // namespace

std::optional<OpInput> OpInputs::next() {
  if (position_ >= words_.size()) return std::nullopt;
  const Head head = read_head(words_[position_++]);
  const Numbers rest = words_.subspan(position_);
  const std::size_t words =
      head.kind == InputKind::tensor_list ? list_words(rest, head.count) : head.count;
  if (words > rest.size()) {
    position_ = words_.size();
    return OpInput{};
  }
  position_ += words;
  return OpInput{head.kind, head.type, rest.first(words)};
}

OpInput OpInputs::at(std::size_t index) const {
  OpInputs inputs(words_);
  std::optional<OpInput> input = inputs.next();
  for (; index > 0 && input; --index) input = inputs.next();
  return input.value_or(OpInput{});
}

std::string shapes_text(const OpInputs& inputs, std::size_t longest) {
  return text_within(texts_of(inputs, shape_of), "[]", longest);
}

std::string types_text(const OpInputs& inputs, std::size_t longest) {
  return text_within(
      texts_of(inputs, [](const OpInput& input) { return fmt::format("\"{}\"", type_of(input)); }),
      "\"\"", longest);
}

}  // namespace laptime::torch
