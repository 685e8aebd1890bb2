// Limits the memory for one imported file. A file's size is no measure: a megabyte of gzip can hold
// a gigabyte. So a reader counts what it stores, before it stores it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace laptime {

// Profiles of a hundred megabytes with a million functions need half of it.
inline constexpr std::uint64_t kDefaultImportMemory = std::uint64_t{2} << 30;

class ImportBudget {
 public:
  // `refused`: the error kind for exceeding the limit.
  explicit ImportBudget(std::uint64_t limit = kDefaultImportMemory,
                        ErrorKind refused = ErrorKind::bad_file)
      : limit_(limit), refused_(refused) {}

  // False from the first time that the limit is exceeded. Contract: then nothing is allocated.
  bool take(std::uint64_t bytes) {
    exceeded_ |= bytes > left();
    if (!exceeded_) most_used_ = std::max(most_used_, used_ += bytes);
    return !exceeded_;
  }
  // Contract: the bytes were counted with take.
  void give_back(std::uint64_t bytes) { used_ -= bytes; }
  // Reserves room for `more` elements. The old and the new room exist at the same time for a
  // moment, and both are counted.
  template <typename T>
  bool make_room(std::vector<T>& in, std::size_t more = 1) {
    if (in.capacity() - in.size() >= more) return !exceeded_;
    const std::size_t old = in.capacity(), wanted = std::max(in.size() + more, old + old / 2);
    if (!take(std::uint64_t{wanted} * sizeof(T))) return false;
    in.reserve(wanted);
    give_back(std::uint64_t{old} * sizeof(T));
    return true;
  }

  std::uint64_t left() const { return limit_ - used_; }
  std::uint64_t used() const { return used_; }
  std::uint64_t most_used() const { return most_used_; }
  bool exceeded() const { return exceeded_; }
  // Begins after the file's name. Contract: exceeded().
  tl::unexpected<Error> refusal() const;

 private:
  std::uint64_t limit_, used_ = 0, most_used_ = 0;
  ErrorKind refused_;
  bool exceeded_ = false;
};

}  // namespace laptime
