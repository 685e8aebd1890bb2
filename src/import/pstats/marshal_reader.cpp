#include "import/pstats/marshal_reader.h"

#include <fmt/format.h>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace laptime {

namespace {

constexpr int kMaxDepth = 32;  // a saved profile nests four deep
constexpr std::uint8_t kRefFlag = 0x80;

class MarshalReader {
 public:
  explicit MarshalReader(ByteStream& in) : in_(in), tree_(in.budget()) {}

  Result<PythonTree> read() {
    ASSIGN_OR_RETURN(const auto root, value());
    if (!root) return broken("holds no value");
    tree_.root = *root;
    return std::move(tree_);
  }

 private:
  using Id = PythonValues::Id;
  using MaybeId = std::optional<Id>;  // nothing: the mark at a dict's end

  tl::unexpected<Error> broken(std::string_view what) const {
    return fail(ErrorKind::bad_file, fmt::format("{} at byte {}", what, in_.offset()));
  }
  Result<MaybeId> value();
  Result<MaybeId> value_of(char type, std::optional<std::size_t> ref);
  Result<MaybeId> finish(Id id, std::optional<std::size_t> ref);
  Result<MaybeId> text(std::uint64_t length, std::optional<std::size_t> ref);
  Result<MaybeId> text_real(std::optional<std::size_t> ref);
  Result<MaybeId> long_integer(std::optional<std::size_t> ref);
  Result<MaybeId> sequence(std::uint64_t count, std::optional<std::size_t> ref);
  Result<MaybeId> map(std::optional<std::size_t> ref);
  Result<MaybeId> reference();
  Status push_item(Id id);
  // Makes a container of the items from `begin` on.
  Result<MaybeId> close(PythonType type, std::size_t begin, std::optional<std::size_t> ref);

  ByteStream& in_;
  PythonTree tree_;
  std::vector<Id> items_;      // of the containers being read, nested ones last
  std::vector<MaybeId> refs_;  // nothing while the value is still being read
  int depth_ = 0;
};

Result<MarshalReader::MaybeId> MarshalReader::value() {
  const std::uint8_t byte = in_.u8();
  if (in_.failed()) return in_.error();
  if (depth_ == kMaxDepth) return broken("is nested too deeply");
  ++depth_;
  std::optional<std::size_t> ref;
  if (byte & kRefFlag) {
    ref = refs_.size();
    if (!in_.budget().make_room(refs_)) return in_.budget().refusal();
    refs_.push_back({});
  }
  auto result = value_of(static_cast<char>(byte & ~kRefFlag), ref);
  --depth_;
  if (in_.budget().exceeded()) return in_.budget().refusal();
  if (in_.failed()) return in_.error();
  return result;
}

Result<MarshalReader::MaybeId> MarshalReader::value_of(char type, std::optional<std::size_t> ref) {
  PythonValues& values = tree_.values;
  switch (type) {
    case '0':
      return MaybeId();
    case 'N':
      return finish(values.add_none(), ref);
    case 'F':
      return finish(values.add_boolean(false), ref);
    case 'T':
      return finish(values.add_boolean(true), ref);
    case 'i':
      return finish(values.add_integer(in_.little_endian<std::int32_t>()), ref);
    case 'I':
      return finish(values.add_integer(in_.little_endian<std::int64_t>()), ref);
    case 'l':
      return long_integer(ref);
    case 'g':
      return finish(values.add_real(in_.little_endian<double>()), ref);
    case 'f':
      return text_real(ref);
    case 'z':
    case 'Z':
      return text(in_.u8(), ref);
    case 'a':
    case 'A':
    case 'u':
    case 't':
    case 's':
      return text(in_.little_endian<std::uint32_t>(), ref);
    case ')':
      return sequence(in_.u8(), ref);
    case '(':
    case '[':
      return sequence(in_.little_endian<std::uint32_t>(), ref);
    case '{':
      return map(ref);
    case 'r':
      return reference();
    default:
      return broken(fmt::format("holds a value that no profile has (marshal type {:#04x})",
                                static_cast<unsigned char>(type)));
  }
}

Result<MarshalReader::MaybeId> MarshalReader::finish(Id id, std::optional<std::size_t> ref) {
  if (ref) refs_[*ref] = id;
  return MaybeId(id);
}

Result<MarshalReader::MaybeId> MarshalReader::text(std::uint64_t length,
                                                   std::optional<std::size_t> ref) {
  return finish(tree_.values.add_text(tree_.texts.read(in_, length)), ref);
}

Result<MarshalReader::MaybeId> MarshalReader::text_real(std::optional<std::size_t> ref) {
  std::array<std::uint8_t, 255> bytes;
  const std::size_t size = in_.u8();
  in_.read(std::span(bytes).first(size));
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  double number = 0;
  const auto [end, error] = std::from_chars(begin, begin + size, number);
  if (error != std::errc() || end != begin + size)
    return broken("holds a number that cannot be read");
  return finish(tree_.values.add_real(number), ref);
}

// 15 bits a digit. A count never has more than 63 bits.
Result<MarshalReader::MaybeId> MarshalReader::long_integer(std::optional<std::size_t> ref) {
  const std::int64_t signed_count = in_.little_endian<std::int32_t>();
  const std::int64_t count = signed_count < 0 ? -signed_count : signed_count;
  std::uint64_t number = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t digit = in_.little_endian<std::uint16_t>();
    if (in_.failed()) return in_.error();
    if (digit >> 15 || i > 4 || (i == 4 && digit > 7))
      return broken("holds a number beyond 63 bits");
    number |= digit << (15 * i);
  }
  const auto value = static_cast<std::int64_t>(number);
  return finish(tree_.values.add_integer(signed_count < 0 ? -value : value), ref);
}

Result<MarshalReader::MaybeId> MarshalReader::sequence(std::uint64_t count,
                                                       std::optional<std::size_t> ref) {
  const std::size_t begin = items_.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const MaybeId item, value());
    if (!item) return broken("holds an end mark inside a tuple");
    RETURN_IF_ERROR(push_item(*item));
  }
  return close(PythonType::sequence, begin, ref);
}

Result<MarshalReader::MaybeId> MarshalReader::map(std::optional<std::size_t> ref) {
  const std::size_t begin = items_.size();
  for (;;) {
    ASSIGN_OR_RETURN(const MaybeId key, value());
    if (!key) break;
    RETURN_IF_ERROR(push_item(*key));
    ASSIGN_OR_RETURN(const MaybeId mapped, value());
    if (!mapped) return broken("holds a key without a value");
    RETURN_IF_ERROR(push_item(*mapped));
  }
  return close(PythonType::map, begin, ref);
}

Status MarshalReader::push_item(Id id) {
  if (!in_.budget().make_room(items_)) return in_.budget().refusal();
  items_.push_back(id);
  return {};
}

Result<MarshalReader::MaybeId> MarshalReader::close(PythonType type, std::size_t begin,
                                                    std::optional<std::size_t> ref) {
  const auto items = std::span<const Id>(items_).subspan(begin);
  const Id id =
      type == PythonType::map ? tree_.values.add_map(items) : tree_.values.add_sequence(items);
  items_.resize(begin);
  return finish(id, ref);
}

Result<MarshalReader::MaybeId> MarshalReader::reference() {
  const std::uint32_t index = in_.little_endian<std::uint32_t>();
  if (index >= refs_.size() || !refs_[index]) return broken("refers to a value that is not there");
  return MaybeId(*refs_[index]);
}

}  // namespace

Result<PythonTree> read_marshal(ByteStream& in) { return MarshalReader(in).read(); }

}  // namespace laptime
