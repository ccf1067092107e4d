# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the protobuf classes of ONNX (onnx.pb.h, onnx.pb.cc) from libonnx-dev's onnx.proto and adds them to macec_core.
# Debian and Ubuntu install the full schema (functions, training) under this name; onnx-ml.proto where they do not.
find_path(MACEC_ONNX_PROTO_DIR NAMES onnx/onnx.proto onnx/onnx-ml.proto)
if(NOT MACEC_ONNX_PROTO_DIR)
  message(FATAL_ERROR "onnx/onnx.proto is missing; install libonnx-dev")
endif()
set(MACEC_ONNX_PROTO "")
foreach(name onnx.proto onnx-ml.proto)
  set(candidate "${MACEC_ONNX_PROTO_DIR}/onnx/${name}")
  if(EXISTS "${candidate}" AND NOT MACEC_ONNX_PROTO)
    file(STRINGS "${candidate}" functions REGEX "^message FunctionProto")
    if(functions)
      set(MACEC_ONNX_PROTO "${candidate}")
    endif()
  endif()
endforeach()
if(NOT MACEC_ONNX_PROTO)
  message(FATAL_ERROR "no schema in ${MACEC_ONNX_PROTO_DIR}/onnx declares FunctionProto; libonnx-dev 1.12 or later is needed")
endif()

set(MACEC_PROTO_OUT "${CMAKE_CURRENT_BINARY_DIR}/proto")
file(MAKE_DIRECTORY "${MACEC_PROTO_OUT}")
add_custom_command(
  OUTPUT "${MACEC_PROTO_OUT}/onnx.pb.h" "${MACEC_PROTO_OUT}/onnx.pb.cc"
  COMMAND ${CMAKE_COMMAND} -E copy "${MACEC_ONNX_PROTO}" "${MACEC_PROTO_OUT}/onnx.proto"
  COMMAND protobuf::protoc "--proto_path=${MACEC_PROTO_OUT}" "--cpp_out=${MACEC_PROTO_OUT}"
          "${MACEC_PROTO_OUT}/onnx.proto"
  DEPENDS "${MACEC_ONNX_PROTO}"
  COMMENT "Generating ONNX's protobuf classes"
  VERBATIM)
# A library of its own, so that our warnings do not apply to generated code.
add_library(macec_onnx_proto STATIC "${MACEC_PROTO_OUT}/onnx.pb.cc" "${MACEC_PROTO_OUT}/onnx.pb.h")
target_compile_options(macec_onnx_proto PRIVATE -w)
target_include_directories(macec_onnx_proto SYSTEM PUBLIC "${MACEC_PROTO_OUT}")
file(STRINGS "${MACEC_ONNX_PROTO}" lite REGEX "LITE_RUNTIME")
if(lite)
  target_link_libraries(macec_onnx_proto PUBLIC protobuf::libprotobuf-lite)
else()
  target_link_libraries(macec_onnx_proto PUBLIC protobuf::libprotobuf)
endif()
target_link_libraries(macec_core PRIVATE macec_onnx_proto)
