// What all calls of a table's row agree on, if they do.
#pragma once

namespace laptime {

template <typename Value>
class Agreed {
 public:
  void add(const Value& value) {
    if (!any_) value_ = value;
    differ_ |= any_ && value_ != value;
    any_ = true;
  }
  Value value_or(const Value& otherwise) const { return any_ && !differ_ ? value_ : otherwise; }

 private:
  Value value_{};
  bool any_ = false, differ_ = false;
};

}  // namespace laptime
