// Python values from files of Python's profilers: plain data, read without any calls.
//
// Values are in one store and refer to each other by number, so values shared in a file are stored
// once. Texts are views that must outlive the store; PythonTree has the arena for them.
// Consequence: a store takes a bounded number of bytes for each byte of the file, counted in its
// budget. But a walk may meet a shared value many times, or a list that contains itself. A walk
// must follow a fixed shape and limit what it makes.
//
// Contract: after the budget is exceeded, numbers returned by add_… are invalid. A reader checks
// the budget before it uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "import/import_budget.h"
#include "import/text_arena.h"

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
  using Items = std::span<const Id>;  // valid until the next add

  explicit PythonValues(ImportBudget& budget) : budget_(&budget) {}

  Id add_none() { return add(PythonType::none, 0); }
  Id add_boolean(bool value) { return add(PythonType::boolean, value); }
  Id add_integer(std::int64_t value) {
    return add(PythonType::integer, static_cast<std::uint64_t>(value));
  }
  Id add_real(double value);
  Id add_text(std::string_view text);
  Id add_sequence(Items items) { return add_container(PythonType::sequence, items); }
  // Keys and values in turn.
  Id add_map(Items items) { return add_container(PythonType::map, items); }
  // The one class that is allowed.
  Id add_class() { return add(PythonType::class_name, 0); }
  // An object of a class. Its one item, once set, is its state.
  Id add_instance() { return add_container(PythonType::instance, {}); }
  // Contract: `id` is a sequence, a map or an instance. The items are not in this store.
  void append_items(Id id, Items more);
  void set_state(Id instance, Id state);

  PythonType type(Id id) const { return values_[id].type; }
  bool is(Id id, PythonType type) const { return values_[id].type == type; }
  // Contract for all of these: the value has that type.
  std::int64_t integer(Id id) const { return static_cast<std::int64_t>(values_[id].payload); }
  double real(Id id) const;
  std::string_view text(Id id) const { return texts_[values_[id].payload]; }
  Items items(Id id) const {
    const Container& held = containers_[values_[id].payload];
    return Items(items_).subspan(held.begin, held.size);
  }

 private:
  struct Value {
    PythonType type;
    std::uint64_t payload;  // the number, a double's bits, or an index of texts_ or containers_
  };
  struct Container {
    std::uint64_t begin;  // in items_
    std::uint32_t size, capacity;
  };
  bool fits(std::size_t size);
  Id add(PythonType type, std::uint64_t payload);
  Id add_container(PythonType type, Items items);
  // Moves the container's items to the end of items_, with room for more. False: the budget is
  // exceeded.
  bool relocate(Container& held, std::size_t capacity);

  ImportBudget* budget_;
  std::vector<Value> values_;
  std::vector<std::string_view> texts_;
  std::vector<Container> containers_;
  std::vector<Id> items_;
};

struct PythonTree {
  explicit PythonTree(ImportBudget& budget) : texts(budget), values(budget) {}
  TextArena texts;
  PythonValues values;
  PythonValues::Id root = 0;
};

}  // namespace laptime
