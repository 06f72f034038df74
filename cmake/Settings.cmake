# Language, warnings and build types, the same for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "gcc 12 or newer is needed, this is ${CMAKE_CXX_COMPILER_VERSION}")
endif()

option(SLIPWAY_PCH "Precompile the slow headers" ON)
option(SLIPWAY_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
option(SLIPWAY_WERROR "Treat warnings as errors" ON)

add_library(slipway_settings INTERFACE)
target_include_directories(slipway_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(slipway_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
  $<$<BOOL:${SLIPWAY_WERROR}>:-Werror>
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(SLIPWAY_SANITIZE)
  target_compile_options(slipway_settings INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(slipway_settings INTERFACE -fsanitize=address,undefined)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(slipway_settings INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(slipway_settings INTERFACE -Wl,--gc-sections -Wl,--as-needed
    -static-libstdc++ -static-libgcc)
endif()

target_link_libraries(slipway_settings INTERFACE slipway_fmt Threads::Threads)

# A release is linked by the system's linker: it packs relocations (DT_RELR, glibc 2.36), which halves
# what the program touches at its start. Everything else is linked by the fast one.
find_program(MOLD mold)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(slipway_settings INTERFACE -Wl,-z,pack-relative-relocs)
elseif(MOLD)
  target_link_options(slipway_settings INTERFACE -fuse-ld=mold)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

file(WRITE ${PROJECT_BINARY_DIR}/empty.cc "")
if(SLIPWAY_PCH)
  add_library(slipway_pch STATIC ${PROJECT_BINARY_DIR}/empty.cc)
  target_link_libraries(slipway_pch PRIVATE slipway_settings)
  target_precompile_headers(slipway_pch PRIVATE
    <chrono> <functional> <map> <memory> <optional> <string> <string_view> <vector>
    <fmt/core.h> <nlohmann/json.hpp>)
endif()
