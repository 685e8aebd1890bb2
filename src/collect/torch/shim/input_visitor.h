// Passes an op's inputs as a row of words (InputKind) to a taker: every time to a hash, and to
// memory if the hash is new.
//
// Contract: tensors are read by address and never copied, because a copy costs two atomic
// operations. Lists and types are queried as little as possible, because each query is a call into
// torch's library.
#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/UndefinedTensorImpl.h>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

class InputHash {
 public:
  explicit InputHash(std::uint64_t seed) : hash_(seed) {}

  void word(std::int64_t value) { hash_.word(static_cast<std::uint64_t>(value)); }
  bool has_room() const { return true; }
  void end_input() {}
  std::uint64_t hash() const { return hash_.value(); }

 private:
  WordHash hash_;
};

// A row of words within fixed room. An input that does not fit is recorded as unknown.
class InputRoom {
 public:
  explicit InputRoom(std::int64_t (&room)[OpThread::kInputWords]) : words_(room) {}

  void word(std::int64_t value) {
    if (count_ < OpThread::kInputWords)
      words_[count_++] = value;
    else
      full_ = true;
  }
  bool has_room() const { return !full_; }
  void end_input() {
    if (full_) {
      count_ = whole_;
      full_ = false;
      word(static_cast<std::int64_t>(InputKind::other));
    }
    whole_ = count_;
  }
  const std::int64_t* data() const { return words_; }
  std::uint32_t count() const { return count_; }

 private:
  std::int64_t* words_;
  std::uint32_t count_ = 0, whole_ = 0;
  bool full_ = false;
};

// `Taker`: word(), has_room(), end_input().
template <typename Taker>
class InputVisitor {
 public:
  // `numbers`: also pass the values of integers and bools. Otherwise they would only make equal
  // inputs look different.
  InputVisitor(Taker& taker, bool numbers) : taker_(taker), numbers_(numbers) {}

  // `inputs`: a range of IValue, for which torch has several types.
  void visit(const auto& inputs) {
    try {
      for (const c10::IValue& input : inputs) {
        put(input);
        taker_.end_input();
      }
    } catch (...) {  // a tensor subclass without sizes: keep what was read until then
      taker_.end_input();
    }
  }

 private:
  // The text of more would be too long in any case.
  static constexpr std::size_t kMostListed = 1023;

  void head(InputKind kind, std::size_t numbers = 0, int type = 0) {
    taker_.word(static_cast<std::int64_t>(numbers) << 16 |
                static_cast<std::int64_t>(type & 0xFF) << 8 | static_cast<std::int64_t>(kind));
  }
  void tensor(const c10::IValue& value) {
    const c10::TensorImpl* const impl = value.unsafeToTensorImpl();
    if (impl == c10::UndefinedTensorImpl::singleton() || impl->is_nested() ||
        impl->has_symbolic_sizes_strides())
      return head(InputKind::other);
    const c10::IntArrayRef sizes = impl->sizes();
    head(InputKind::tensor, sizes.size(),
         static_cast<int>(c10::typeMetaToScalarType(impl->dtype())));
    for (const std::int64_t size : sizes) taker_.word(size);
  }
  void list(const c10::IValue& value) {
    const c10::ArrayRef<c10::IValue> elements = value.toListRef();
    // Torch compares the requested type, by value if it is another one. A list's first element
    // tells which type to request.
    const bool may_be_tensors = elements.empty() || elements[0].isTensor(),
               may_be_integers = elements.empty() || elements[0].isInt();
    if (may_be_integers && value.isIntList())
      return integers(elements, [](const c10::IValue& number) { return number.toInt(); });
    if (may_be_tensors && value.isTensorList()) return tensors(elements);
    if (numbers_ && value.isBoolList())
      return integers(elements,
                      [](const c10::IValue& number) { return std::int64_t{number.toBool()}; });
    head(value.isDoubleList() || value.isBoolList() ? InputKind::scalars : InputKind::other);
  }
  void tensors(c10::ArrayRef<c10::IValue> list) {
    if (list.size() > kMostListed) return head(InputKind::other);
    head(InputKind::tensor_list, list.size());
    for (std::size_t i = 0; i < list.size() && taker_.has_room(); ++i) tensor(list[i]);
  }
  void integers(c10::ArrayRef<c10::IValue> list, auto read) {
    head(InputKind::integers, numbers_ ? list.size() : 0);
    if (!numbers_) return;
    for (const c10::IValue& number : list) taker_.word(read(number));
  }
  void integer(std::int64_t number) {
    head(InputKind::integer, numbers_ ? 1 : 0);
    if (numbers_) taker_.word(number);
  }
  void put(const c10::IValue& value) {
    if (value.isTensor()) return tensor(value);
    if (value.isNone()) return head(InputKind::other);
    if (value.isList()) return list(value);
    if (value.isInt()) return integer(value.toInt());
    if (numbers_ && value.isBool()) return integer(value.toBool());
    head(value.isScalar() || value.isBool() ? InputKind::scalar : InputKind::other);
  }

  Taker& taker_;
  const bool numbers_;
};

}  // namespace laptime::torch
