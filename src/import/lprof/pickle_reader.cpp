#include "import/lprof/pickle_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace laptime {

namespace {

// The modules of LineStats in line_profiler's releases and in laptime's replacement.
constexpr std::array<std::string_view, 5> kLineStatsModules{
    "line_profiler.line_profiler", "line_profiler._line_profiler", "_line_profiler",
    "line_profiler", "laptime.compat.line_profiler"};

constexpr std::size_t kMostOfLine = 200;
constexpr std::uint64_t kBytesOfMemo = 64;  // an entry of the hash table while it grows

enum Opcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt4 = 'J',
  kInt1 = 'K',
  kInt2 = 'M',
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kFloat = 'G',
  kText4 = 'X',
  kText1 = 0x8c,
  kText8 = 0x8d,
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kGet1 = 'h',
  kGet4 = 'j',
  kPut1 = 'q',
  kPut4 = 'r',
  kMemoize = 0x94,
  kProto = 0x80,
  kFrame = 0x95,
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kNewObject = 0x81,
  kBuild = 'b',
};

// Opcodes that call, import or fetch, with names for the error.
const char* forbidden_name(std::uint8_t opcode) {
  switch (opcode) {
    case 'R':
      return "REDUCE, a call";
    case 'i':
      return "INST, a call";
    case 'o':
      return "OBJ, a call";
    case 0x92:
      return "NEWOBJ_EX, a call";
    case 0x82:
    case 0x83:
    case 0x84:
      return "EXT, a registered class";
    case 'P':
    case 'Q':
      return "PERSID, an outside object";
    case 0x97:
    case 0x98:
      return "NEXT_BUFFER, an outside buffer";
    default:
      return nullptr;
  }
}

class PickleReader {
 public:
  explicit PickleReader(ByteStream& in) : in_(in), budget_(in.budget()), tree_(in.budget()) {}

  Result<PythonTree> read() {
    for (;;) {
      const std::uint8_t opcode = in_.u8();
      if (in_.failed()) return in_.error();
      if (opcode == kStop) break;
      const Status status = execute(opcode);
      if (budget_.exceeded()) return budget_.refusal();
      if (in_.failed()) return in_.error();
      RETURN_IF_ERROR(status);
    }
    ASSIGN_OR_RETURN(tree_.root, pop());
    return std::move(tree_);
  }

 private:
  using Id = PythonValues::Id;
  using Items = PythonValues::Items;

  tl::unexpected<Error> broken(std::string_view what) const {
    return fail(ErrorKind::bad_file, fmt::format("{} at byte {}", what, in_.offset()));
  }
  Status execute(std::uint8_t opcode);
  Status execute_number(std::uint8_t opcode);
  Status execute_container(std::uint8_t opcode);
  Status execute_memo(std::uint8_t opcode);
  Status execute_object(std::uint8_t opcode);
  Status refuse(std::uint8_t opcode) const;

  Status push(Id id) {
    if (!budget_.make_room(stack_)) return budget_.refusal();
    stack_.push_back(id);
    return {};
  }
  Result<Id> pop();
  Result<Id> top() const;
  // Valid until the next call.
  Result<Items> pop_to_mark();
  Result<Items> pop_many(std::size_t count);

  Status push_text(std::uint64_t length);
  Status push_long(std::uint64_t length);
  Status push_real();
  Status extend(PythonType type, Result<Items> items);
  Status remember(std::uint64_t place);
  Status recall(std::uint64_t place);
  std::string line();
  Status push_class(std::string_view module, std::string_view name);
  Status push_class_from_stack();
  Status make_instance();
  Status set_state();

  ByteStream& in_;
  ImportBudget& budget_;
  PythonTree tree_;
  std::vector<Id> stack_, popped_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint64_t, Id> memo_;
};

Result<PythonValues::Id> PickleReader::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    return broken("takes a value that is not there");
  return stack_.back();
}

Result<PythonValues::Id> PickleReader::pop() {
  ASSIGN_OR_RETURN(const Id id, top());
  stack_.pop_back();
  return id;
}

Result<PythonValues::Items> PickleReader::pop_many(std::size_t count) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) return broken("takes a value that is not there");
  popped_.clear();
  if (!budget_.make_room(popped_, count)) return budget_.refusal();
  popped_.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  return Items(popped_);
}

Result<PythonValues::Items> PickleReader::pop_to_mark() {
  if (marks_.empty()) return broken("closes what was not opened");
  auto items = pop_many(stack_.size() - marks_.back());
  marks_.pop_back();
  return items;
}

Status PickleReader::execute(std::uint8_t opcode) {
  switch (opcode) {
    case kProto: {
      const unsigned protocol = in_.u8();
      return protocol >= 2 && protocol <= 5
                 ? Status()
                 : broken(fmt::format("has pickle protocol {}, of which laptime reads 2 to 5",
                                      protocol));
    }
    case kFrame:
      in_.little_endian<std::uint64_t>();
      return {};
    case kMark:
      if (!budget_.make_room(marks_)) return budget_.refusal();
      marks_.push_back(stack_.size());
      return {};
    case kPop: {
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
        return {};
      }
      RETURN_IF_ERROR(pop());
      return {};
    }
    case kPopMark:
      RETURN_IF_ERROR(pop_to_mark());
      return {};
    case kDup: {
      ASSIGN_OR_RETURN(const Id id, top());
      return push(id);
    }
    case kNone:
      return push(tree_.values.add_none());
    case kTrue:
    case kFalse:
      return push(tree_.values.add_boolean(opcode == kTrue));
    case kText1:
      return push_text(in_.u8());
    case kText4:
      return push_text(in_.little_endian<std::uint32_t>());
    case kText8:
      return push_text(in_.little_endian<std::uint64_t>());
    default:
      return execute_number(opcode);
  }
}

Status PickleReader::execute_number(std::uint8_t opcode) {
  switch (opcode) {
    case kInt1:
      return push(tree_.values.add_integer(in_.u8()));
    case kInt2:
      return push(tree_.values.add_integer(in_.little_endian<std::uint16_t>()));
    case kInt4:
      return push(tree_.values.add_integer(in_.little_endian<std::int32_t>()));
    case kLong1:
      return push_long(in_.u8());
    case kLong4:
      return push_long(in_.little_endian<std::uint32_t>());
    case kFloat:
      return push_real();
    default:
      return execute_container(opcode);
  }
}

Status PickleReader::execute_container(std::uint8_t opcode) {
  switch (opcode) {
    case kEmptyList:
    case kEmptyTuple:
      return push(tree_.values.add_sequence({}));
    case kEmptyDict:
      return push(tree_.values.add_map({}));
    case kAppend:
      return extend(PythonType::sequence, pop_many(1));
    case kAppends:
      return extend(PythonType::sequence, pop_to_mark());
    case kSetItem:
      return extend(PythonType::map, pop_many(2));
    case kSetItems:
      return extend(PythonType::map, pop_to_mark());
    case kTuple:
    case kTuple1:
    case kTuple2:
    case kTuple3: {
      ASSIGN_OR_RETURN(const Items items,
                       opcode == kTuple ? pop_to_mark() : pop_many(opcode - kTuple1 + 1u));
      return push(tree_.values.add_sequence(items));
    }
    default:
      return execute_memo(opcode);
  }
}

Status PickleReader::execute_memo(std::uint8_t opcode) {
  switch (opcode) {
    case kGet1:
      return recall(in_.u8());
    case kGet4:
      return recall(in_.little_endian<std::uint32_t>());
    case kPut1:
      return remember(in_.u8());
    case kPut4:
      return remember(in_.little_endian<std::uint32_t>());
    case kMemoize:
      return remember(memo_.size());
    default:
      return execute_object(opcode);
  }
}

Status PickleReader::execute_object(std::uint8_t opcode) {
  switch (opcode) {
    case kGlobal: {
      const std::string module = line(), name = line();
      return push_class(module, name);
    }
    case kStackGlobal:
      return push_class_from_stack();
    case kNewObject:
      return make_instance();
    case kBuild:
      return set_state();
    default:
      return refuse(opcode);
  }
}

Status PickleReader::refuse(std::uint8_t opcode) const {
  if (const char* name = forbidden_name(opcode))
    return broken(fmt::format(
        "holds the pickle instruction {}, which line_profiler's files do not have; refused", name));
  return broken(fmt::format(
      "holds the pickle instruction {:#04x}, which line_profiler's files do not have; refused",
      opcode));
}

Status PickleReader::push_text(std::uint64_t length) {
  return push(tree_.values.add_text(tree_.texts.read(in_, length)));
}

Status PickleReader::push_long(std::uint64_t length) {
  if (length > 8) return broken("holds a number beyond 63 bits");
  std::array<std::uint8_t, 8> bytes{};
  in_.read(std::span(bytes).first(static_cast<std::size_t>(length)));
  if (length > 0 && bytes[length - 1] & 0x80)
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(length), bytes.end(), 0xff);
  const auto number = std::bit_cast<std::uint64_t>(bytes);
  return push(tree_.values.add_integer(static_cast<std::int64_t>(number)));
}

Status PickleReader::push_real() {
  return push(tree_.values.add_real(
      std::bit_cast<double>(__builtin_bswap64(in_.little_endian<std::uint64_t>()))));
}

Status PickleReader::extend(PythonType type, Result<Items> items) {
  if (!items) return tl::unexpected(std::move(items).error());
  ASSIGN_OR_RETURN(const Id target, top());
  if (!tree_.values.is(target, type)) return broken("adds items to what does not take them");
  if (type == PythonType::map && items->size() % 2) return broken("holds a key without a value");
  tree_.values.append_items(target, *items);
  return {};
}

Status PickleReader::remember(std::uint64_t place) {
  ASSIGN_OR_RETURN(const Id id, top());
  if (memo_.insert_or_assign(place, id).second) budget_.take(kBytesOfMemo);
  return {};
}

Status PickleReader::recall(std::uint64_t place) {
  const auto it = memo_.find(place);
  return it == memo_.end() ? broken("refers to a value that is not there") : push(it->second);
}

// Keeps no more of a line than the longest allowed name needs.
std::string PickleReader::line() {
  std::string kept;
  for (char c; !in_.failed() && (c = static_cast<char>(in_.u8())) != '\n';)
    if (kept.size() < kMostOfLine) kept += c;
  return kept;
}

Status PickleReader::push_class(std::string_view module, std::string_view name) {
  const bool known = std::find(kLineStatsModules.begin(), kLineStatsModules.end(), module) !=
                     kLineStatsModules.end();
  if (known && name == "LineStats") return push(tree_.values.add_class());
  // An attacker's text is shown shortened, and without control characters.
  std::string shown = fmt::format("{}.{}", module.substr(0, 80), name.substr(0, 80));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fail(
      ErrorKind::bad_file,
      fmt::format("names {}, which line_profiler's files do not; refused, nothing was run", shown));
}

Status PickleReader::push_class_from_stack() {
  ASSIGN_OR_RETURN(const Id name, pop());
  ASSIGN_OR_RETURN(const Id module, pop());
  if (!tree_.values.is(name, PythonType::text) || !tree_.values.is(module, PythonType::text))
    return broken("names a class by what is no text");
  return push_class(tree_.values.text(module), tree_.values.text(name));
}

Status PickleReader::make_instance() {
  ASSIGN_OR_RETURN(const Id arguments, pop());
  ASSIGN_OR_RETURN(const Id made_of, pop());
  const bool plain =
      tree_.values.is(arguments, PythonType::sequence) && tree_.values.items(arguments).empty();
  if (!plain || !tree_.values.is(made_of, PythonType::class_name))
    return broken("makes an object in a way that line_profiler does not");
  return push(tree_.values.add_instance());
}

Status PickleReader::set_state() {
  ASSIGN_OR_RETURN(const Id state, pop());
  ASSIGN_OR_RETURN(const Id object, top());
  if (!tree_.values.is(object, PythonType::instance))
    return broken("sets the state of what is no object");
  tree_.values.set_state(object, state);
  return {};
}

}  // namespace

Result<PythonTree> read_pickle(ByteStream& in) { return PickleReader(in).read(); }

}  // namespace laptime
