# Debian's libraries, each found once. Where a static archive exists it is taken in release builds:
# a program that is started thousands of times a day should not spend its time in the loader.
find_package(fmt 9 REQUIRED)
# Debian has no archive of fmt: a release carries its headers' code, other builds link it.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_library(slipway_fmt ALIAS fmt::fmt-header-only)
else()
  add_library(slipway_fmt ALIAS fmt::fmt)
endif()
find_package(OpenSSL 3.0 REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  # The library behind tests' servers; its .pc file says how it was configured.
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  add_library(slipway_httplib INTERFACE)
  target_link_libraries(slipway_httplib INTERFACE PkgConfig::HTTPLIB OpenSSL::SSL OpenSSL::Crypto)
endif()
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
add_library(slipway_grpc INTERFACE)
# By file, not by imported target: those ask for -pthread, which the precompiled header lacks.
target_link_libraries(slipway_grpc INTERFACE grpc++ grpc gpr protobuf-lite)
