// Lines of what XLA launches: around each launch it opens NVTX ranges,
// "XlaModule:#hlo_module=jit_step,program_id=3#" and within it
// "Thunk:#name=jit(step)/dot_general,hlo_op=custom-call.4#", and compiled programs tell the line of
// each instruction. So kernels of cuBLAS and cuDNN have a line too, whose names say nothing (else:
// kernel_call_sites.h).
//
// Assumption: instructions of two programs of one name that have the same name are on the same
// line; where they are not, neither is known.
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

  // Whether XLA launches at all; else a launch need not look.
  static bool in_use() { return used_.load(std::memory_order_relaxed); }

  // What a range of that text says; the text of one that says something is kept under `name`.
  nvtx::Role know_range(std::uint32_t name, std::string_view text);
  // `call_site`: record::add_call_site.
  void add(std::string_view module, std::string_view instruction, std::uint32_t call_site);
  // Of what a thread launches in these ranges (names; 0: none is open); 0: its instruction has no
  // line. Locks only the first time that a thread launches the instruction, and after programs were
  // added.
  std::uint32_t call_site(std::uint32_t module, std::uint32_t instruction) const;

 private:
  std::uint32_t find(std::uint32_t module, std::uint32_t instruction) const;

  static inline std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::string>
      ranges_;  // by name of a range: its module or instruction
  std::map<std::string, std::map<std::string, std::uint32_t>, std::less<>>
      call_sites_;                         // by module and instruction
  std::atomic<std::uint32_t> version_{1};  // rises with what is added
};

}  // namespace laptime::cuda
