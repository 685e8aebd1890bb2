// The conditions under which the call site of a thread's last op also holds for its next op, so
// that Python is not queried again.
//
// The module records where it looked and what it saw. The hot path checks that all of it is
// unchanged. Contract: a guard is read only if all guards before it hold, because they prove that
// its address is still valid.
// is still good.
#pragma once

#include <cstdint>
#include <cstring>

namespace laptime::torch {

struct CallSiteGuards {
  static constexpr std::uint32_t kMost = 16;
  static constexpr std::uint32_t kCallSites = 4;

  struct Guard {
    const void* address;
    std::uint64_t word;
  };
  // An instruction of the guarded frame and its call site. 0: none.
  struct Known {
    std::uint64_t instruction;
    std::uint32_t call_site;
  };

  CallSiteGuards() = default;
  CallSiteGuards(const CallSiteGuards&) = delete;  // the last guard points into this object

  std::uint32_t uses = 0;  // uses left before Python must be queried
  std::uint32_t count = 0;
  const void* instruction = nullptr;  // where the frame keeps its current instruction
  Known known[kCallSites] = {};
  Guard guards[kMost + 1];  // the used guards are followed by one that never holds

  static std::uint64_t word_at(const void* address) {
    std::uint64_t word;
    std::memcpy(&word, address, sizeof word);
    return word;
  }
  void clear() { end_at(0); }
  // False if there is no room.
  bool add(const void* address) {
    if (count == kMost) return false;
    guards[count] = {address, word_at(address)};
    end_at(count + 1);
    return true;
  }
  bool hold() const {
    const Guard* guard = guards;
#pragma GCC unroll 8
    while (word_at(guard->address) == guard->word) ++guard;
    return guard == guards + count;
  }
  Known& slot(std::uint64_t running) { return known[running / 2 % kCallSites]; }

  // 0: unknown.
  std::uint32_t call_site() {
    if (uses == 0 || !hold()) return 0;
    --uses;
    const std::uint64_t running = word_at(instruction);
    const Known& found = slot(running);
    return found.instruction == running ? found.call_site : 0;
  }

 private:
  void end_at(std::uint32_t number) {
    count = number;
    guards[count] = {&guards[count].address, 0};
  }
};

}  // namespace laptime::torch
