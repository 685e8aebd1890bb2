#include "format/copy_info.h"

#include <array>

namespace laptime {

namespace {

constexpr std::array<std::string_view, 11> kDirections{
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 8> kMemoryKinds{"Unknown",       "Pageable",      "Pinned",
                                                       "Device",        "Array",         "Managed",
                                                       "Device Static", "Managed Static"};

}  // namespace

CopyDirection copy_direction(std::uint64_t number) {
  return number < kDirections.size() ? static_cast<CopyDirection>(number) : CopyDirection::unknown;
}

MemoryKind memory_kind(std::uint64_t number) {
  return number < kMemoryKinds.size() ? static_cast<MemoryKind>(number) : MemoryKind::unknown;
}

std::string_view name_of(CopyDirection direction) {
  return kDirections[static_cast<std::size_t>(direction)];
}

std::string_view name_of(MemoryKind kind) { return kMemoryKinds[static_cast<std::size_t>(kind)]; }

std::string copy_name(const CopyInfo& copy) {
  std::string name = "Memcpy ";
  name.append(name_of(copy.direction)).append(" (").append(name_of(copy.source));
  return name.append(" -> ").append(name_of(copy.target)).append(")");
}

std::string fill_name(MemoryKind target) {
  return std::string("Memset (").append(name_of(target)).append(")");
}

}  // namespace laptime
