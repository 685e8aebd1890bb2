#include "trace/ops/torch_nodes.h"

#include <string_view>

#include "format/names.h"

namespace laptime {

namespace {

bool is_torch_node(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name.starts_with(span_name::kAutogradEngine) ||
         name.substr(0, last == std::string_view::npos ? 0 : last + 1).ends_with("Backward");
}

}  // namespace

std::vector<bool> find_torch_nodes(const StringTable& strings) {
  std::vector<bool> flags(strings.size());
  for (std::uint32_t id = 0; id < strings.size(); ++id) flags[id] = is_torch_node(strings[id]);
  return flags;
}

}  // namespace laptime
