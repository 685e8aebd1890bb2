#include "collect/cuda/launch_context.h"

#include "collect/cuda/torch_context.h"
#include "collect/cuda/xla_places.h"
#include "format/record.h"

namespace laptime::cuda {

LaunchOrigin LaunchContext::here() const {
  const std::uint32_t compiled = XlaPlaces::get().here();
  const std::uint32_t line = compiled ? compiled : place();
  if (!nodes_.load(std::memory_order_relaxed)) return {OpLink::pack(line, 0, -1), false};
  const TorchContext& torch = TorchContext::get();
  const TorchContext::Node node = torch.current_node();
  if (node.running && line == 0) return {OpLink::pack(0, static_cast<std::uint8_t>(node.thread), node.sequence), true};
  return {OpLink::pack(line, static_cast<std::uint8_t>(torch.thread()), torch.made_nodes() - 1), node.running};
}

}  // namespace laptime::cuda
