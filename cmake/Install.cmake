# An install prefix gets the command, liblaptime.so with its headers, and two ways to find them:
# find_package(laptime) and pkg-config laptime. A wheel has the command among its scripts. It has the
# library inside the package, beside the module that loads it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(SKBUILD)
  install(TARGETS laptime laptime_cuda LIBRARY DESTINATION laptime)
  install(TARGETS laptime_cli RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
  return()
endif()

install(TARGETS laptime EXPORT laptimeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS laptime_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS laptime_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/laptime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/laptime)
install(EXPORT laptimeTargets NAMESPACE laptime:: FILE laptimeConfig.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/laptimeConfigVersion.cmake COMPATIBILITY AnyNewerVersion)
install(FILES ${PROJECT_BINARY_DIR}/laptimeConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/laptime.pc.in ${PROJECT_BINARY_DIR}/laptime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/laptime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
