# The distribution's packages that laptime is built from. All are header-only or linked statically,
# so the installed files need none of them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(zstd REQUIRED)
find_library(ZLIB_LIBRARY NAMES libz.a)  # find_package finds the shared library
find_package(ZLIB REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)

# src/base/fmt_library.cpp compiles fmt 9's headers once as a library. With other versions each source
# compiles what it uses.
add_library(fmt_headers INTERFACE)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  target_include_directories(fmt_headers SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  target_link_libraries(fmt_headers INTERFACE fmt::fmt-header-only)
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash_headers INTERFACE)
target_include_directories(xxhash_headers SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_message.hpp REQUIRED)
add_library(protozero_headers INTERFACE)
target_include_directories(protozero_headers SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})

if(LAPTIME_BUILD_PYTHON)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  if(NOT SKBUILD)  # SKBUILD knows the packages that the wheel's build requires
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  find_package(nanobind CONFIG REQUIRED)
endif()
