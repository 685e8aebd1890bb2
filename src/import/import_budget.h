// How much memory one imported file may take. The size of a file says little: a megabyte of gzip
// can hold a gigabyte. So a reader counts what it stores, before it stores it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace laptime {

// Profiles of a hundred megabytes, a million functions, take half of it.
inline constexpr std::uint64_t kDefaultImportMemory = std::uint64_t{2} << 30;

class ImportBudget {
 public:
  // `refused` is the kind of the error: whose limit was exceeded.
  explicit ImportBudget(std::uint64_t limit = kDefaultImportMemory,
                        ErrorKind refused = ErrorKind::bad_file)
      : limit_(limit), refused_(refused) {}

  // False, from the first time on that it does not fit. Contract: what does not fit is not
  // allocated.
  bool take(std::uint64_t bytes) {
    exceeded_ |= bytes > left();
    if (!exceeded_) most_used_ = std::max(most_used_, used_ += bytes);
    return !exceeded_;
  }
  // Contract: they were taken.
  void give_back(std::uint64_t bytes) { used_ -= bytes; }
  // Makes room for `more` elements. The old elements and the new room exist side by side for a
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
