#include "collect/cuda/nvtx/xla_call_sites.h"

#include <array>

namespace laptime::cuda {

namespace {

constexpr std::string_view kModule = "XlaModule:#", kInstruction = "Thunk:#";

// Parses "key=value,key=value#". Values may hold commas within brackets, as names of calls do, but
// the requested values do not.
std::string_view value_of(std::string_view fields, std::string_view key) {
  for (std::size_t at = fields.find(key); at != std::string_view::npos;
       at = fields.find(key, at + 1)) {
    if (at > 0 && fields[at - 1] != ',') continue;
    const std::string_view value = fields.substr(at + key.size());
    return value.substr(0, value.find_first_of(",#"));
  }
  return {};
}

struct Known {
  std::uint32_t module, instruction, version, call_site;
};
thread_local std::array<Known, 64> known_here;

}  // namespace

nvtx::Role XlaCallSites::know_range(std::uint32_t name, std::string_view text) {
  const bool is_module = text.starts_with(kModule);
  if (!is_module && !text.starts_with(kInstruction)) return nvtx::Role::other;
  const std::string_view value = is_module ? value_of(text.substr(kModule.size()), "hlo_module=")
                                           : value_of(text.substr(kInstruction.size()), "hlo_op=");
  if (value.empty()) return nvtx::Role::other;
  const std::lock_guard lock(mutex_);
  ranges_.try_emplace(name, value);
  used_.store(true, std::memory_order_relaxed);
  return is_module ? nvtx::Role::xla_module : nvtx::Role::xla_instruction;
}

void XlaCallSites::add(std::string_view module, std::string_view instruction,
                       std::uint32_t call_site) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      call_sites_[std::string(module)].try_emplace(std::string(instruction), call_site);
  if (!is_new && known->second != call_site) known->second = 0;
  version_.fetch_add(1, std::memory_order_release);
}

std::uint32_t XlaCallSites::call_site(std::uint32_t module, std::uint32_t instruction) const {
  if (instruction == 0) return 0;
  const std::uint32_t version = version_.load(std::memory_order_acquire);
  Known& known = known_here[(instruction ^ module << 3) % known_here.size()];
  if (known.instruction != instruction || known.module != module || known.version != version)
    known = {module, instruction, version, find(module, instruction)};
  return known.call_site;
}

std::uint32_t XlaCallSites::find(std::uint32_t module, std::uint32_t instruction) const {
  const std::lock_guard lock(mutex_);
  const auto module_text = ranges_.find(module), instruction_text = ranges_.find(instruction);
  if (module_text == ranges_.end() || instruction_text == ranges_.end()) return 0;
  const auto call_sites = call_sites_.find(module_text->second);
  if (call_sites == call_sites_.end()) return 0;
  const auto call_site = call_sites->second.find(instruction_text->second);
  return call_site == call_sites->second.end() ? 0 : call_site->second;
}

}  // namespace laptime::cuda
