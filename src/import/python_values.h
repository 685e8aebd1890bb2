// Python values as files of Python's profilers hold them: plain data, read without calling
// anything.
//
// Values live in one store and name each other by number, so what a file shares is stored once;
// texts are views into the file, which must outlive the store. Consequence: a store takes a bounded
// number of bytes for each byte of the file, but a walk over it may meet a shared value any number
// of times, or a list that holds itself. Whoever walks follows a fixed shape and bounds what it
// makes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laptime {

enum class PythonType : std::uint8_t {
  none,
  boolean,
  integer,
  real,
  text,
  sequence,
  map,
  class_name,
  instance
};

class PythonValues {
 public:
  using Id = std::uint32_t;
  using Items = std::vector<Id>;

  Id add_none() { return add(PythonType::none, 0); }
  Id add_boolean(bool value) { return add(PythonType::boolean, value); }
  Id add_integer(std::int64_t value) {
    return add(PythonType::integer, static_cast<std::uint64_t>(value));
  }
  Id add_real(double value);
  Id add_text(std::string_view text);
  Id add_sequence(Items items);
  // Keys and values in turn.
  Id add_map();
  // The one class that the reader allows.
  Id add_class() { return add(PythonType::class_name, 0); }
  // An object of a class; its one item, once set, is its state.
  Id add_instance() { return add_container(PythonType::instance, {}); }

  PythonType type(Id id) const { return values_[id].type; }
  bool is(Id id, PythonType type) const { return values_[id].type == type; }
  // Contract of all of these: the value is of that type.
  std::int64_t integer(Id id) const { return static_cast<std::int64_t>(values_[id].payload); }
  double real(Id id) const;
  std::string_view text(Id id) const { return texts_[values_[id].payload]; }
  const Items& items(Id id) const { return containers_[values_[id].payload]; }
  Items& items(Id id) { return containers_[values_[id].payload]; }

 private:
  struct Value {
    PythonType type;
    std::uint64_t payload;  // the number, a double's bits, or a place in texts_ or containers_
  };
  Id add(PythonType type, std::uint64_t payload);
  Id add_container(PythonType type, Items items);

  std::vector<Value> values_;
  std::vector<std::string_view> texts_;
  std::vector<Items> containers_;
};

struct PythonTree {
  PythonValues values;
  PythonValues::Id root = 0;
};

}  // namespace laptime
