// protozero's views as the rest of the house has them, and its wire types as questions.
#pragma once

#include <protozero/data_view.hpp>
#include <protozero/types.hpp>
#include <string_view>

#include "base/bytes.h"

namespace laptime {

inline protozero::data_view as_data(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteView as_bytes(protozero::data_view view) {
  return {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
}
inline std::string_view as_text(protozero::data_view view) { return {view.data(), view.size()}; }

template <typename Message>
bool is_number(const Message& message) {
  return message.has_wire_type(protozero::pbf_wire_type::varint);
}
template <typename Message>
bool is_length(const Message& message) {
  return message.has_wire_type(protozero::pbf_wire_type::length_delimited);
}
template <typename Message>
bool is_fixed64(const Message& message) {
  return message.has_wire_type(protozero::pbf_wire_type::fixed64);
}

}  // namespace laptime
