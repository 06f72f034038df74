# SPDX-License-Identifier: Apache-2.0
# What makes a mistake in memory end a release instead of being used: set before any target is made, so
# that it holds for all of them. tests/packages/test_contents.py holds the programs against it.

# slipway_stands_alone(<program>) links it to start with nothing but itself, wherever it is loaded, and with
# little of itself: the kernel maps code in pieces of 64 KiB, so lld puts the functions beside each other that
# a cluster's life calls (`./dev layout` lists them; names that are gone do no harm), and packed relocations
# (DT_RELR) halve what is touched at the start. Not for tests: some of their libraries have no archives.
function(slipway_stands_alone program)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(functions ${PROJECT_SOURCE_DIR}/packaging/functions.txt)
    target_link_options(${program} PRIVATE -static-pie -fuse-ld=lld -Wl,--pack-dyn-relocs=relr
      -Wl,--symbol-ordering-file=${functions} -Wl,--no-warn-symbol-ordering)
    set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${functions})
  endif()
endfunction()

if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()

# Explicit, whatever the compiler was configured to do without being asked.
add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection
  -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $<$<COMPILE_LANGUAGE:CXX>:-D_GLIBCXX_ASSERTIONS>)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  add_compile_options(-mbranch-protection=standard)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
