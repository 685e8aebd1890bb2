#include "collect/torch/line_table.h"

namespace laptime::torch {

namespace {

constexpr int kNoColumns = 13, kLongForm = 14,
              kNoLocation = 15;    // codes of 3.11's entries; up to 12: columns only
constexpr int kOneLineForms = 10;  // 10, 11, 12: the line moves by 0, 1, 2

class TableReader {
 public:
  explicit TableReader(std::span<const std::uint8_t> table) : table_(table) {}

  bool done() const { return at_ >= table_.size(); }
  std::uint8_t byte() { return done() ? 0 : table_[at_++]; }
  void skip_rest_of_entry() {
    while (!done() && (table_[at_] & 0x80) == 0) ++at_;
  }
  std::int32_t signed_number() {
    std::uint32_t value = 0;
    std::uint8_t next = 0;
    int shift = 0;
    do {
      next = byte();
      value |= static_cast<std::uint32_t>(next & 0x3F) << shift;
      shift += 6;
    } while ((next & 0x40) != 0 && shift < 32 && !done());
    const auto half = static_cast<std::int32_t>(value >> 1);
    return (value & 1) != 0 ? -half : half;
  }

 private:
  std::span<const std::uint8_t> table_;
  std::size_t at_ = 0;
};

}  // namespace

std::int32_t line_in_3_10(std::span<const std::uint8_t> table, std::int32_t first_line,
                          std::int32_t byte_offset) {
  constexpr std::int8_t kNoLine = -128;
  std::int32_t end = 0, line = first_line;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto delta = static_cast<std::int8_t>(table[i + 1]);
    if (delta != kNoLine) line += delta;
    end += table[i];
    if (byte_offset < end) return delta == kNoLine ? 0 : line;
  }
  return 0;
}

std::int32_t line_since_3_11(std::span<const std::uint8_t> table, std::int32_t first_line,
                             std::int32_t byte_offset) {
  TableReader reader(table);
  std::int32_t end = 0, line = first_line;
  while (!reader.done()) {
    const std::uint8_t head = reader.byte();
    const int form = head >> 3 & 15;
    if (form == kNoColumns || form == kLongForm)
      line += reader.signed_number();
    else if (form >= kOneLineForms && form < kNoColumns)
      line += form - kOneLineForms;
    reader.skip_rest_of_entry();
    end += ((head & 7) + 1) * 2;
    if (byte_offset < end) return form == kNoLocation ? 0 : line;
  }
  return 0;
}

}  // namespace laptime::torch
