#include "trace/gpu/copy_name.h"

namespace laptime {

CopyName::CopyName(std::string_view name) {
  const std::size_t open = name.find(" ("), close = name.find(')');
  direction = name.substr(0, open);
  if (direction.starts_with("Memcpy ")) direction.remove_prefix(7);
  if (open != std::string_view::npos && close != std::string_view::npos && close > open)
    memory = name.substr(open + 2, close - open - 2);
  blocks = name.ends_with(kBlocks);
}

}  // namespace laptime
