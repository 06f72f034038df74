# SPDX-License-Identifier: Apache-2.0
# Finds each of Debian's libraries once. Release builds use archives, because a program that is started
# thousands of times a day should not spend its time in the loader. Shared libraries cost 12 ms and 15 MB at
# each start, archives 1 ms and 5 MB. A release also needs nothing but glibc.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(SLIPWAY_STATIC ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()

find_package(fmt 9 REQUIRED)
# Debian has no archive of fmt: a release carries its headers' code, other builds link it.
if(SLIPWAY_STATIC)
  add_library(slipway_fmt ALIAS fmt::fmt-header-only)
else()
  add_library(slipway_fmt ALIAS fmt::fmt)
endif()
find_package(OpenSSL 3.5 REQUIRED)

find_package(CURL 8.14 CONFIG REQUIRED COMPONENTS HTTP2)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  # The library of the tests' servers; its .pc file says how it was configured.
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  add_library(slipway_httplib INTERFACE)
  target_link_libraries(slipway_httplib INTERFACE PkgConfig::HTTPLIB OpenSSL::SSL OpenSSL::Crypto)
endif()
find_package(Protobuf REQUIRED)

# slipway_archive(<out> <name>) finds lib<name>.a.
function(slipway_archive out name)
  find_library(SLIPWAY_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
  set(${out} ${SLIPWAY_ARCHIVE_${name}} PARENT_SCOPE)
endfunction()

# libyaml by file: the library of ours that reads YAML is a target named yaml.
add_library(slipway_libyaml INTERFACE)
if(SLIPWAY_STATIC)
  slipway_archive(archive yaml)
else()
  find_library(archive NAMES yaml NO_CACHE REQUIRED)
endif()
target_link_libraries(slipway_libyaml INTERFACE ${archive})

# zstd by file, like libyaml: of the imported targets one release of Debian has another set than the next.
add_library(slipway_zstd INTERFACE)
if(SLIPWAY_STATIC)
  slipway_archive(zstd zstd)
else()
  find_library(zstd NAMES zstd NO_CACHE REQUIRED)
endif()
target_link_libraries(slipway_zstd INTERFACE ${zstd})

# c-ares by file, like libyaml.
add_library(slipway_cares INTERFACE)
if(SLIPWAY_STATIC)
  slipway_archive(cares cares)
else()
  find_library(cares NAMES cares NO_CACHE REQUIRED)
endif()
target_link_libraries(slipway_cares INTERFACE ${cares})

add_library(slipway_curl ALIAS CURL::libcurl_static)

# protobuf by file, not by imported target: the target is shared, and asks for -pthread, which the precompiled
# header lacks.
add_library(slipway_protobuf INTERFACE)
if(SLIPWAY_STATIC)
  slipway_archive(protobuf protobuf-lite)
else()
  find_library(protobuf NAMES protobuf-lite NO_CACHE REQUIRED)
endif()
target_link_libraries(slipway_protobuf INTERFACE ${protobuf})

# gRPC's own library is the tests' server, which judges our calls.
if(BUILD_TESTING)
  find_package(gRPC CONFIG REQUIRED)
  add_library(slipway_grpc INTERFACE)
  target_link_libraries(slipway_grpc INTERFACE grpc++ grpc gpr absl_synchronization)
endif()
