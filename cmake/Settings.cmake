# SPDX-License-Identifier: Apache-2.0
# Language, warnings and build types, the same for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "gcc 14 or newer is needed, this is ${CMAKE_CXX_COMPILER_VERSION}")
endif()

option(SLIPWAY_PCH "Precompile the slow headers" ON)
option(SLIPWAY_BATCHES "Compile several sources at once" ON)
set(SLIPWAY_SANITIZE OFF CACHE STRING "Sanitizers: OFF, ON (address and undefined behaviour) or thread")
set_property(CACHE SLIPWAY_SANITIZE PROPERTY STRINGS OFF ON thread)
option(SLIPWAY_WERROR "Treat warnings as errors" ON)

add_library(slipway_settings INTERFACE)
target_compile_options(slipway_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
  $<$<BOOL:${SLIPWAY_WERROR}>:-Werror>
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(SLIPWAY_SANITIZE STREQUAL "thread")
  target_compile_options(slipway_settings INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(slipway_settings INTERFACE -fsanitize=thread)
elseif(SLIPWAY_SANITIZE)
  target_compile_options(slipway_settings INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(slipway_settings INTERFACE -fsanitize=address,undefined)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # A file has the same name in a release, wherever it is built: a compiler cache relies on paths relative to
  # the build directory.
  file(RELATIVE_PATH up ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "/$" "" up "${up}")
  target_compile_options(slipway_settings INTERFACE -ffunction-sections -fdata-sections
    -ffile-prefix-map=${up}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=)
  target_link_options(slipway_settings INTERFACE -Wl,--gc-sections -Wl,--as-needed)
endif()

if(SLIPWAY_BATCHES)
  target_include_directories(slipway_settings INTERFACE ${PROJECT_SOURCE_DIR})
  # gcc takes a source that another file includes for a header.
  target_compile_options(slipway_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
target_link_libraries(slipway_settings INTERFACE slipway_fmt Threads::Threads)

# Every build uses the fast linker except a release, whose programs have one of their own
# (cmake/Hardening.cmake).
find_program(MOLD mold)
if(MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(slipway_settings INTERFACE -fuse-ld=mold)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

# In a release only these libraries are compiled for speed: they generate keys and judge thousands of
# requests. The rest waits for I/O most of its time, and is compiled to be small.
set(SLIPWAY_FAST_LIBRARIES pki http kube judgement evidence inventories requests)
add_library(slipway_small INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # With less inlining gcc warns of correct code: the other builds enable these warnings.
  target_compile_options(slipway_small INTERFACE -Os -Wno-maybe-uninitialized
    $<$<BOOL:${SLIPWAY_WERROR}>:-Wno-error>)
endif()

# gcc with optimizations compiles the tests of a release (arm64's are run), and mistakes ends of short strings
# for ends of longer ones (-Warray-bounds); clang checks the warnings of tests.
add_library(slipway_tests INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(slipway_tests INTERFACE $<$<BOOL:${SLIPWAY_WERROR}>:-Wno-error>)
endif()

file(WRITE ${PROJECT_BINARY_DIR}/empty.cc "")

# slipway_precompiled(<target> [LIBS <library>...] [HEADERS <header>...]) is the precompiled header of the
# libraries compiled with those flags.
function(slipway_precompiled target)
  cmake_parse_arguments(ARG "" "" "LIBS;HEADERS" ${ARGN})
  add_library(${target} STATIC ${PROJECT_BINARY_DIR}/empty.cc)
  target_link_libraries(${target} PRIVATE slipway_settings ${ARG_LIBS})
  # Without the headers' timestamps it is the same in every checkout of the same path, so that checkouts can
  # share the compiler cache.
  target_compile_options(${target} PUBLIC $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  # Its templates are instantiated once, not in each source: a fifth less time.
  target_compile_options(${target} PUBLIC $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fpch-instantiate-templates>)
  # Clang's contains the path of its checkout, though: one of another checkout must not be taken from the
  # cache.
  if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_NAMESPACE=${PROJECT_SOURCE_DIR};${CCACHE}")
  endif()
  target_precompile_headers(${target} PRIVATE
    <chrono> <functional> <map> <memory> <optional> <string> <string_view> <vector>
    <fmt/core.h> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()

if(SLIPWAY_PCH)
  slipway_precompiled(slipway_pch)
  if(BUILD_TESTING)
    slipway_precompiled(slipway_pch_test LIBS GTest::gmock
      HEADERS <algorithm> <filesystem> <stop_token> <thread> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    slipway_precompiled(slipway_pch_small LIBS slipway_small)
  endif()
endif()
