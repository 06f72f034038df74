# SPDX-License-Identifier: Apache-2.0
# Makes a memory error end a release instead of being exploitable. Set before any target is created, so that
# it holds for all of them. tests/packages/test_contents.py checks the programs against it.

# slipway_stands_alone(<program>) links a position-independent program that needs no other file and touches
# little memory at the start. The kernel maps code in pieces of 64 KiB, so lld places the functions that a
# cluster's life calls next to each other. (`./dev layout` lists them; stale names do no harm.) Packed
# relocations (DT_RELR) halve the touched pages. Tests do not use it, because some of their libraries have no
# archives.
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

# Explicit, whatever the compiler's defaults are.
add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection
  -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $<$<COMPILE_LANGUAGE:CXX>:-D_GLIBCXX_ASSERTIONS>)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  add_compile_options(-mbranch-protection=standard)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
