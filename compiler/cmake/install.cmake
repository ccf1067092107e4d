# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install: the program, the headers that stand apart from any model, the CMake package.
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/macecConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(TARGETS macec RUNTIME DESTINATION bin)
install(FILES runtime_stub/macec.hpp runtime_stub/macec_threads.h DESTINATION include)
# lib, not lib/<architecture>: the package is used when building for any architecture.
install(FILES compiler/cmake/macec.cmake compiler/cmake/macecConfig.cmake
  "${CMAKE_CURRENT_BINARY_DIR}/macecConfigVersion.cmake" DESTINATION lib/cmake/macec)
install(FILES LICENSE DESTINATION share/doc/macec)
