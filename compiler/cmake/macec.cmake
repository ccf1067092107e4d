# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles ONNX models as part of a CMake build.
#
#   include(/path/to/macec/compiler/cmake/macec.cmake)     works everywhere, also in cross builds
#   find_package(macec REQUIRED)                           the same, where CMake may look for it
#
#   macec_add_model(kws MODEL kws.onnx)
#   target_link_libraries(app PRIVATE kws)                 kws.h is on the include path
#
# macec_add_model(<target>
#   MODEL <file.onnx>...       relative to the current source folder; several: one file for all
#   [NAME <name>]              name.cpp, name.h and every symbol; default: <target>
#   [TARGET <target>]          as for `macec --target`; default: auto, what is being built for
#   [DIMS <dim=sizes>...]      --dim:   batch=1   batch=1..8   height=32..960:32
#   [SHAPES <input=shape>...]  --shape: image=1x3x256x320
#   [WEIGHTS <form>]           --weights: auto (default), array, asm, incbin, file, extern
#   [OPTIONS <flag>...])       any other flags of macec
#
# makes <target>, a static library. Rebuilt when a model, its external data or macec itself changes.
# The generated source is compiled with -O2 in every configuration, Debug too: at -O0 it is about
# 16 times slower. The target's property MACEC_WEIGHTS_FILE names the blob of WEIGHTS file.
#
# macec runs on the machine that builds. It is, in this order: the cache variable or environment
# variable MACEC_EXECUTABLE; the program of this same build, if that builds macec and is not a cross
# build; what stands beside this file; what is on the PATH. A sysroot is never searched.
#
# Include this file (or find_package) in the folder that calls macec_add_model, or in one above it.
#
# The trap: with WEIGHTS auto only macec knows whether there will be a <name>_weights.S, but CMake
# wants to know before. So that file always exists here, and is empty where it is not needed.

cmake_policy(PUSH)
cmake_policy(VERSION 3.18...3.25)

# The generated code is C++; ASM brings in the blobs of large models. Languages can only be enabled
# here, not in a function. Always: CMAKE_ASM_COMPILER says nothing, the cache has it from the second
# configuration on while the language is not enabled yet.
enable_language(CXX)
if(NOT MSVC)
  enable_language(ASM)
endif()

# What `auto` means in this build.
function(_macec_auto_target result)
  set(machine "${CMAKE_SYSTEM_PROCESSOR}")
  if(ANDROID AND ANDROID_ABI)
    set(machine "${ANDROID_ABI}")
  elseif(APPLE AND CMAKE_OSX_ARCHITECTURES)
    set(machine "${CMAKE_OSX_ARCHITECTURES}")
  endif()
  list(LENGTH machine count)
  if(count GREATER 1)
    message(FATAL_ERROR "macec_add_model: one generated file serves one architecture, but this "
      "build is for ${machine} at once; give TARGET portable, or build each architecture by itself")
  endif()
  string(TOLOWER "${machine}" machine)
  if(MSVC AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(target portable)
  elseif(machine MATCHES "^(aarch64|arm64|arm64-v8a|armv8.*)$")
    set(target armv8)
  elseif(machine MATCHES "^(armv7.*|armeabi-v7a|arm)$")
    set(target armv7)
  elseif(machine MATCHES "^(x86_64|amd64|x86-64)$")
    set(target x86-64)
  else()
    set(target portable)
  endif()
  if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND target STREQUAL "x86-64")
    set(target portable)
  elseif(CMAKE_SIZEOF_VOID_P EQUAL 4 AND target STREQUAL "armv8")
    set(target armv7)
  endif()
  set(${result} "${target}" PARENT_SCOPE)
endfunction()

# The macec to run (a path or a generator expression), and what to depend on.
function(_macec_find program dependency)
  if(NOT MACEC_EXECUTABLE AND NOT "$ENV{MACEC_EXECUTABLE}" STREQUAL "")
    set(MACEC_EXECUTABLE "$ENV{MACEC_EXECUTABLE}" CACHE FILEPATH
      "macec, built for this machine" FORCE)
  endif()
  if(NOT MACEC_EXECUTABLE AND TARGET macec AND NOT CMAKE_CROSSCOMPILING)
    set(${program} "$<TARGET_FILE:macec>" PARENT_SCOPE)
    set(${dependency} macec PARENT_SCOPE)
    return()
  endif()
  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  find_program(MACEC_EXECUTABLE macec
    HINTS "${here}/../../../bin" "${here}/../../build/release" "${here}/../../build"
    DOC "macec, built for this machine" NO_CMAKE_FIND_ROOT_PATH)
  if(NOT MACEC_EXECUTABLE)
    message(FATAL_ERROR "macec_add_model: no macec found that runs on this machine. Build it with "
      "the compilers of this machine (cmake -S <macec> -B <folder> && cmake --build <folder>), "
      "then give its path: -DMACEC_EXECUTABLE=<folder>/macec, or the environment variable "
      "of that name")
  endif()
  if(NOT EXISTS "${MACEC_EXECUTABLE}")
    message(FATAL_ERROR "macec_add_model: MACEC_EXECUTABLE is '${MACEC_EXECUTABLE}', and there is "
      "no such file")
  endif()
  set(${program} "${MACEC_EXECUTABLE}" PARENT_SCOPE)
  set(${dependency} "${MACEC_EXECUTABLE}" PARENT_SCOPE)
endfunction()

# Absolute paths of the models. One that another rule makes may be missing still.
function(_macec_models result)
  set(models)
  foreach(model IN LISTS ARGN)
    get_filename_component(path "${model}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT EXISTS "${path}" AND NOT IS_ABSOLUTE "${model}")
      set(path "${CMAKE_CURRENT_BINARY_DIR}/${model}")
    endif()
    string(FIND "${path}" "${CMAKE_BINARY_DIR}/" in_build)
    if(NOT EXISTS "${path}" AND (NOT in_build EQUAL 0 OR NOT IS_ABSOLUTE "${model}"))
      message(FATAL_ERROR "macec_add_model: there is no model '${model}' in "
        "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    list(APPEND models "${path}")
  endforeach()
  set(${result} "${models}" PARENT_SCOPE)
endfunction()

# How the rule learns of files with external data: macec writes them into a depfile, or, for a CMake
# that knows no depfiles here, they have the names that PyTorch gives them.
function(_macec_external_data result depfile)
  if(NOT CMAKE_VERSION VERSION_LESS 3.21)
    set(${result} DEPFILE "${depfile}" PARENT_SCOPE)
    return()
  endif()
  set(beside)
  foreach(model IN LISTS ARGN)
    list(APPEND beside "${model}.data" "${model}_data")
  endforeach()
  file(GLOB found ${beside})
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# How the generated source is compiled, whatever the build type and the flags of the project.
function(_macec_compile_settings library target)
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_CLANG_TIDY "")
  target_compile_features(${library} PRIVATE cxx_std_17)
  if(MSVC)
    target_compile_options(${library} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:/O2>")
    return()
  endif()
  # The code relies on IEEE rules; projects that set -ffast-math keep it for their own sources.
  target_compile_options(${library} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O2;-fno-fast-math>")
  if(target MATCHES "^armv7")
    target_compile_options(${library} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-mfpu=neon>")
  endif()
endfunction()

# Puts the headers that stand apart from any model beside the generated one: not their whole folder
# on the include path, since in the source tree that holds other files, too.
function(_macec_copy_headers folder)
  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(from "${here}/../../runtime_stub")
  if(EXISTS "${here}/../../../include/macec.hpp")
    set(from "${here}/../../../include")
  endif()
  foreach(header macec.hpp macec_threads.h)
    configure_file("${from}/${header}" "${folder}/${header}" COPYONLY)
  endforeach()
endfunction()

# The form of the weights: `auto` where macec may choose, else what this build can take.
function(_macec_weights result form count)
  if(NOT form)
    set(form auto)
  endif()
  if(MSVC AND form STREQUAL "auto")
    set(form array)  # it has no GNU assembler
  elseif(count GREATER 1 AND form STREQUAL "auto")
    set(form asm)  # one assembler file serves one model
  elseif(count GREATER 1 AND form STREQUAL "incbin")
    message(FATAL_ERROR "macec_add_model: WEIGHTS incbin is for one model; these are ${count}")
  endif()
  if(form MATCHES "^(auto|incbin)$" AND NOT CMAKE_ASM_COMPILER)
    message(FATAL_ERROR "macec_add_model: include macec.cmake in this folder or in one above it, "
      "so that the language ASM is enabled here")
  endif()
  set(${result} "${form}" PARENT_SCOPE)
endfunction()

function(macec_add_model library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;TARGET;WEIGHTS" "MODEL;DIMS;SHAPES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "macec_add_model(${library}): unknown argument "
      "'${arg_UNPARSED_ARGUMENTS}'; known are MODEL, NAME, TARGET, DIMS, SHAPES, WEIGHTS, "
      "OPTIONS")
  endif()
  if(NOT arg_MODEL)
    message(FATAL_ERROR "macec_add_model(${library}): MODEL <file.onnx> is missing")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME "${library}")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "macec_add_model(${library}): '${arg_NAME}' cannot be the name of C "
      "functions; give one with NAME <identifier>")
  endif()
  _macec_auto_target(auto_target)
  if(NOT arg_TARGET)
    set(arg_TARGET auto)
  endif()
  string(REGEX REPLACE "^auto" "${auto_target}" target "${arg_TARGET}")
  list(LENGTH arg_MODEL count)
  _macec_weights(weights "${arg_WEIGHTS}" ${count})
  _macec_find(program dependency)
  _macec_models(models ${arg_MODEL})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/macec/${library}")
  set(stem "${folder}/${arg_NAME}")
  set(flags "--target=${target}" "--weights=${weights}")
  foreach(dim IN LISTS arg_DIMS)
    list(APPEND flags "--dim" "${dim}")
  endforeach()
  foreach(shape IN LISTS arg_SHAPES)
    list(APPEND flags "--shape" "${shape}")
  endforeach()
  list(APPEND flags ${arg_OPTIONS})

  set(outputs "${stem}.cpp" "${stem}.h")
  set(prepare)
  set(finish)
  if(weights MATCHES "^(auto|incbin)$")
    list(APPEND outputs "${stem}_weights.S")
    set(prepare COMMAND "${CMAKE_COMMAND}" -E rm -f "${stem}_weights.S")
    set(finish COMMAND "${CMAKE_COMMAND}" -E touch "${stem}_weights.S")
  endif()
  _macec_external_data(external "${stem}.d" ${models})
  add_custom_command(
    OUTPUT ${outputs}
    ${prepare}
    COMMAND "${program}" ${models} -o "${stem}.cpp" ${flags} "--depfile=${stem}.d"
    ${finish}
    DEPENDS ${models} "${dependency}"
    ${external}
    COMMENT "macec: ${arg_NAME}.cpp for ${target}"
    VERBATIM)
  _macec_copy_headers("${folder}")

  add_library(${library} STATIC ${outputs})
  target_include_directories(${library} PUBLIC "${folder}")
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX
    MACEC_TARGET "${target}" MACEC_WEIGHTS_FILE "${stem}.weights.bin")
  _macec_compile_settings(${library} "${target}")
  if(target MATCHES "-(opencl|adreno|mali)$")
    target_link_libraries(${library} PUBLIC ${CMAKE_DL_LIBS})  # OpenCL is loaded at run time
  endif()
  if(weights MATCHES "^(auto|incbin)$")
    _macec_assemble(${library} "${stem}" "${arg_NAME}")
  endif()
endfunction()

# The assembler file that brings in a large blob; empty for a small one.
function(_macec_assemble library stem name)
  string(TOUPPER "${name}" upper)
  set(options)
  if(NOT APPLE AND NOT WIN32)
    set(options "-Wa,--noexecstack")  # an empty file does not say so itself
  endif()
  set_source_files_properties("${stem}_weights.S" PROPERTIES
    COMPILE_OPTIONS "${options}"
    COMPILE_DEFINITIONS "${upper}_WEIGHTS_FILE=\"${stem}.weights.bin\""
    OBJECT_DEPENDS "${stem}.cpp")
endfunction()

cmake_policy(POP)
