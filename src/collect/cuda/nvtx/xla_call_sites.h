// Lines of XLA's launches. XLA opens two NVTX ranges around each launch:
// "XlaModule:#hlo_module=jit_step,program_id=3#" and within it
// "Thunk:#name=jit(step)/dot_general,hlo_op=custom-call.4#". Compiled programs contain the line of
// each instruction. So kernels of cuBLAS and cuDNN, whose names identify no line, get one too (for
// others: kernel_call_sites.h).
//
// Assumption: instructions with the same name in two programs with the same name are on the same
// line. If they are not, neither line is used.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collect/cuda/nvtx/nvtx_role.h"

namespace laptime::cuda {

class XlaCallSites {
 public:
  static XlaCallSites& get() {
    static auto* const made =
        new XlaCallSites;  // never destroyed: threads launch until the process is gone
    return *made;
  }

  // Whether XLA launches at all. If not, a launch need not search.
  static bool in_use() { return used_.load(std::memory_order_relaxed); }

  // The role of a range with that text. If it has one, its text is kept under `name`.
  nvtx::Role know_range(std::uint32_t name, std::string_view text);
  // `call_site`: record::add_call_site.
  void add(std::string_view module, std::string_view instruction, std::uint32_t call_site);
  // The call site of a thread's launch inside these ranges (names; 0: none is open). 0: its
  // instruction has no line. Locks only when a thread launches the instruction for the first time,
  // and after programs were added.
  std::uint32_t call_site(std::uint32_t module, std::uint32_t instruction) const;

 private:
  std::uint32_t find(std::uint32_t module, std::uint32_t instruction) const;

  static inline std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::string>
      ranges_;  // by name of a range: its module or instruction
  std::map<std::string, std::map<std::string, std::uint32_t>, std::less<>>
      call_sites_;                         // by module and instruction
  std::atomic<std::uint32_t> version_{1};  // rises with each addition
};

}  // namespace laptime::cuda
