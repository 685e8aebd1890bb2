// The line of an instruction, from the location table of a code object (PEP 626, and the encoding
// of 3.11).
//
// PyCode_Addr2Line returns the same. But on 3.11 it may read an array that a tracer is filling at
// that moment. The table itself never changes.
#pragma once

#include <cstdint>
#include <span>

namespace laptime::torch {

// 0: the instruction has no line. `byte_offset`: the offset of the instruction in the code.
std::int32_t line_in_3_10(std::span<const std::uint8_t> table, std::int32_t first_line,
                          std::int32_t byte_offset);
std::int32_t line_since_3_11(std::span<const std::uint8_t> table, std::int32_t first_line,
                             std::int32_t byte_offset);

}  // namespace laptime::torch
