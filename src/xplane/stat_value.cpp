#include "xplane/stat_value.h"

#include <algorithm>
#include <protozero/pbf_message.hpp>

#include "xplane/fields.h"
#include "xplane/protobuf_views.h"

namespace laptime {

StatValue read_stat(protozero::data_view bytes, PlaneNames& names) {
  using xplane::Stat;
  StatValue value;
  protozero::pbf_message<Stat> message(bytes);
  while (message.next()) {
    if (is_number(message)) {
      const std::uint64_t number = message.get_uint64();
      switch (message.tag()) {
        case Stat::metadata_id:
          value.stat = names.stat(number);
          if (value.role() == StatRole::none) return value;
          break;
        case Stat::uint64:
        case Stat::int64:
          value.number = number;
          break;
        case Stat::reference:
          value.reference = names.stat(number);
          if (value.reference) value.text = value.reference->name;
          break;
        default:
          break;
      }
    } else if (message.tag() == Stat::text && is_length(message)) {
      value.text = as_text(message.get_view());
    } else {
      message.skip();
    }
  }
  return value;
}

TensorTexts tensor_texts(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return {};
  text = text.substr(1, text.size() - 2);
  TensorTexts result{"[", "["};
  while (!text.empty()) {
    const std::string_view tensor = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(tensor.size() + 1, text.size()));
    const auto open = tensor.find('[');
    if (open == std::string_view::npos || tensor.back() != ']') return {};
    if (result.shapes.size() > 1) {
      result.shapes += ", ";
      result.types += ", ";
    }
    for (const char c : tensor.substr(open)) {
      result.shapes += c;
      if (c == ',') result.shapes += ' ';
    }
    result.types.append("'").append(tensor.substr(0, open)).append("'");
  }
  result.shapes += ']';
  result.types += ']';
  return result;
}

}  // namespace laptime
