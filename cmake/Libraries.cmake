# The distribution's packages that laptime is built from. All are header-only or linked statically, so that what is
# installed needs none of them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(zstd REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash_headers INTERFACE)
target_include_directories(xxhash_headers SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

if(LAPTIME_BUILD_PYTHON)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(nanobind CONFIG REQUIRED)
endif()
