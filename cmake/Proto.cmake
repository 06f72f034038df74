# SPDX-License-Identifier: Apache-2.0
# slipway_proto(<target> <file.proto>) makes a static library of the messages that protoc generates into the
# build directory. It is included as "<file>.pb.h". <target>_service, of gRPC's server, is linked only by
# tests and included as "<file>.grpc.pb.h".
function(slipway_proto target proto)
  get_filename_component(directory ${proto} DIRECTORY)
  get_filename_component(stem ${proto} NAME_WE)
  set(out ${PROJECT_BINARY_DIR}/proto/${target})
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${out}/${stem}.pb.cc ${out}/${stem}.pb.h
    COMMAND protobuf::protoc --proto_path=${directory} --cpp_out=${out} ${proto}
    DEPENDS ${proto}
    VERBATIM)
  add_library(${target} STATIC ${out}/${stem}.pb.cc)
  # Generated code is not held to our warnings.
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC slipway_protobuf)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -Os -ffunction-sections -fdata-sections)
  endif()
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_custom_command(
    OUTPUT ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h
    COMMAND protobuf::protoc --proto_path=${directory} --grpc_out=${out}
            --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> ${proto}
    DEPENDS ${proto}
    VERBATIM)
  add_library(${target}_service STATIC ${out}/${stem}.grpc.pb.cc)
  target_compile_definitions(${target}_service PUBLIC GRPC_USE_PROTO_LITE)
  target_link_libraries(${target}_service PUBLIC ${target} slipway_grpc)
endfunction()

slipway_proto(slipway_cri_proto ${PROJECT_SOURCE_DIR}/src/clients/cri/proto/cri.proto)
slipway_proto(slipway_etcd_proto ${PROJECT_SOURCE_DIR}/src/clients/etcd/proto/etcd.proto)
