#include "collect/cuda/launch_context.h"

#include "collect/cuda/nvtx/nvtx_ranges.h"
#include "collect/cuda/nvtx/xla_call_sites.h"
#include "format/record.h"

namespace laptime::cuda {

// Threads read data that was written once, before they see the flag.
void LaunchContext::add_nodes() {
  if (!torch_.is_bound()) torch_ = TorchContext::get();
  nodes_.store(true, std::memory_order_release);
}

LaunchContext::Op LaunchContext::op() const {
  const OpCallSiteFunction function = op_call_site_.load(std::memory_order_acquire);
  const std::int64_t op = function ? function() : -1;
  if (op < 0) return {};
  return {true, (op >> 32) != 0, static_cast<std::uint32_t>(op)};
}

std::uint32_t LaunchContext::find_call_site() const {
  const CallSiteFunction function = call_site_.load(std::memory_order_acquire);
  return function ? function() : 0;
}

std::uint32_t LaunchContext::call_site() const {
  const Op around = op();
  return around.call_site != 0 ? around.call_site : find_call_site();
}

LaunchOrigin LaunchContext::here() const {
  const Op around = op();
  // The op's record has its node, or leads to it.
  if (around.recorded) return {OpLink::pack(around.call_site, 0, -1), around.backward};
  const std::uint32_t compiled =
      XlaCallSites::in_use()
          ? XlaCallSites::get().call_site(nvtx::innermost(nvtx::Role::xla_module),
                                          nvtx::innermost(nvtx::Role::xla_instruction))
          : 0;
  const std::uint32_t line = compiled ? compiled : find_call_site();
  if (!nodes_.load(std::memory_order_acquire)) return {OpLink::pack(line, 0, -1), false};
  const TorchContext::Node node = torch_.current_node();
  if (node.running && line == 0)
    return {OpLink::pack(0, static_cast<std::uint8_t>(node.thread), node.sequence), true};
  return {OpLink::pack(line, static_cast<std::uint8_t>(torch_.thread()), torch_.made_nodes() - 1),
          node.running};
}

}  // namespace laptime::cuda
