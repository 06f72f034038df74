# Debian's libraries, each found once. In release builds they are archives: a program that is
# started thousands of times a day should not spend its time in the loader (shared libraries cost
# 12 ms and 15 MB at each start, archives 1 ms and 5 MB), and a release needs nothing but glibc.
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
find_package(OpenSSL 3.0 REQUIRED)

# A release carries OpenSSL without its tables for unwinding, 0.5 MB that only a debugger would read:
# nothing that OpenSSL calls back into throws.
if(SLIPWAY_STATIC)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/archives)
  foreach(target IN ITEMS Crypto SSL)
    get_target_property(archive OpenSSL::${target} IMPORTED_LOCATION)
    cmake_path(GET archive FILENAME name)
    set(without ${PROJECT_BINARY_DIR}/archives/${name})
    if(${archive} IS_NEWER_THAN ${without})
      execute_process(COMMAND ${CMAKE_OBJCOPY} --enable-deterministic-archives
                              --remove-section .eh_frame --remove-section .rela.eh_frame
                              ${archive} ${without} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    set_target_properties(OpenSSL::${target} PROPERTIES IMPORTED_LOCATION ${without})
  endforeach()
endif()
find_package(CURL 7.88 REQUIRED)
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

# slipway_archive(<out> <name>) finds lib<name>.a.
function(slipway_archive out name)
  find_library(SLIPWAY_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
  set(${out} ${SLIPWAY_ARCHIVE_${name}} PARENT_SCOPE)
endfunction()

# libyaml, under the name that -lyaml would have.
if(SLIPWAY_STATIC)
  slipway_archive(archive yaml)
  add_library(yaml INTERFACE)
  target_link_libraries(yaml INTERFACE ${archive})
endif()

if(SLIPWAY_STATIC)
  include(${CMAKE_CURRENT_LIST_DIR}/CurlAlone.cmake)
  slipway_archive(archive curl)
  slipway_curl_alone(${archive})
else()
  add_library(slipway_curl ALIAS CURL::libcurl)
endif()

# gRPC by file, not by imported target: those are shared, and ask for -pthread, which the
# precompiled header lacks.
add_library(slipway_grpc INTERFACE)
if(SLIPWAY_STATIC)
  set(archives "")
  foreach(name IN ITEMS grpc++ grpc gpr address_sorting upb re2 cares protobuf-lite)
    slipway_archive(archive ${name})
    list(APPEND archives ${archive})
  endforeach()
  get_filename_component(folder ${archive} DIRECTORY)
  file(GLOB abseil ${folder}/libabsl_*.a)
  list(FILTER abseil EXCLUDE REGEX "test|flags")
  slipway_archive(zlib z)
  add_library(slipway_grpc_absent OBJECT ${CMAKE_CURRENT_LIST_DIR}/grpc_absent.cc)
  target_link_libraries(slipway_grpc INTERFACE $<TARGET_OBJECTS:slipway_grpc_absent>
                        -Wl,--start-group ${archives} ${abseil}
                        $<TARGET_PROPERTY:OpenSSL::SSL,IMPORTED_LOCATION>
                        $<TARGET_PROPERTY:OpenSSL::Crypto,IMPORTED_LOCATION> ${zlib} -Wl,--end-group)
else()
  target_link_libraries(slipway_grpc INTERFACE grpc++ grpc gpr protobuf-lite absl_synchronization)
endif()
