// What the name of a copy or fill says: "Memcpy HtoD (Pageable -> Device) blocking", as the
// collector writes it.
#pragma once

#include <string_view>

namespace laptime {

struct CopyName {
  static constexpr std::string_view kBlocks =
      " blocking";  // at the name's end; torch.profiler's have none

  explicit CopyName(std::string_view name);

  // Whether the call that made it returns only when the data are on their way: from and to pageable
  // memory, or as asked for.
  bool waits() const { return blocks || memory.find("Pageable") != std::string_view::npos; }

  std::string_view direction, memory;  // "HtoD", "Pageable -> Device"
  bool blocks = false;
};

}  // namespace laptime
