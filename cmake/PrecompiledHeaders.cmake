# Library headers that most sources include are parsed once for all sources with the same flags. This
# hides a missing include, which tools/check_includes finds.
option(LAPTIME_PCH "Parse common headers once, not once for each source" OFF)

set(LAPTIME_COMMON_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <cmath> <cstdint> <cstdlib> <cstring> <filesystem> <functional> <map> <memory>
    <mutex> <numeric> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>
    <fmt/format.h> <tl/expected.hpp>)

# laptime_precompile(TARGET [AS OTHER] [header…]): precompiles the common headers and the named ones
# for the target. With OTHER it uses that target's precompiled headers, which need the same flags.
function(laptime_precompile target)
  cmake_parse_arguments(ARG "" "AS" "" ${ARGN})
  if(NOT LAPTIME_PCH)
    return()
  elseif(ARG_AS AND NOT ARG_AS STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${ARG_AS})
  else()
    target_precompile_headers(${target} PRIVATE ${LAPTIME_COMMON_HEADERS} ${ARG_UNPARSED_ARGUMENTS})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache needs it
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
      # False warnings of out-of-bounds accesses in std::string, only if its header is precompiled.
      target_compile_options(${target} PRIVATE -Wno-array-bounds)
    endif()
  endif()
endfunction()
