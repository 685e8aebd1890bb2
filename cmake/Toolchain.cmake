# Language level, warnings and sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 to 14 report unset members in std::variant and std::vector wrongly (GCC bug 105562 and
  # similar ones).
  add_compile_options(-Wno-maybe-uninitialized)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # GCC 12 and 13 report overlaps and overflows in std::string wrongly (GCC bug 105651 and similar
    # ones).
    add_compile_options(-Wno-restrict -Wno-stringop-overflow)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC 13 reports out-of-bounds copies in fmt 9's big integers wrongly.
  add_compile_options(-Wno-array-bounds)
endif()
if(LAPTIME_WERROR)
  add_compile_options(-Werror)
endif()
if(LAPTIME_SANITIZE)
  add_compile_options(-fsanitize=${LAPTIME_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LAPTIME_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Code that sanitizers insert confuses warnings about values (GCC's manual).
    add_compile_options(-Wno-array-bounds)
  else()
    # Macros that name the sanitizer, as GCC defines them. clang has none.
    string(REGEX MATCHALL "address|thread" watched "${LAPTIME_SANITIZE}")
    string(TOUPPER "${watched}" watched)
    add_compile_definitions(__SANITIZE_${watched}__)
  endif()
endif()

# Binaries must run on machines without a newer C++ runtime, and inside programs with a runtime of
# their own. So the runtime is linked statically. Sanitizers need the shared one, and the program has
# their functions.
function(laptime_self_contained target)
  if(NOT LAPTIME_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
  endif()
endfunction()
