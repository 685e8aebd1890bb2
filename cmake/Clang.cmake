# The toolchain of the presets that compile with clang: 14, the oldest supported version, else the
# distribution's default.
find_program(LAPTIME_CLANG NAMES clang-14 clang REQUIRED)
find_program(LAPTIME_CLANGXX NAMES clang++-14 clang++ REQUIRED)
set(CMAKE_C_COMPILER ${LAPTIME_CLANG})
set(CMAKE_CXX_COMPILER ${LAPTIME_CLANGXX})
