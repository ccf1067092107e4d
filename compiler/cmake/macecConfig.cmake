# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(macec): gives macec_add_model(). Cross builds that confine find_package to a sysroot
# include macec.cmake, which stands beside this file, by its path.
include("${CMAKE_CURRENT_LIST_DIR}/macec.cmake")
