# SPDX-License-Identifier: Apache-2.0
# fuzz_target(<name> LIBRARIES <library>...)
#
# fuzz/<name>.cc defines LLVMFuzzerTestOneInput, fuzz/corpus/<name>/ holds inputs. With SLIPWAY_FUZZ
# (clang, preset "fuzz") that becomes the fuzzer fuzz_<name>; in every other build it becomes a test
# that runs the inputs once, so what a fuzzer found stays found.
option(SLIPWAY_FUZZ "Build libFuzzer targets (needs clang)" OFF)
if(SLIPWAY_FUZZ)
  target_compile_options(slipway_settings INTERFACE -fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

function(fuzz_target name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  set(directory ${PROJECT_SOURCE_DIR}/fuzz)
  if(SLIPWAY_FUZZ)
    add_executable(fuzz_${name} ${directory}/${name}.cc)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  elseif(BUILD_TESTING)
    add_executable(fuzz_${name} ${directory}/${name}.cc ${directory}/replay_main.cc)
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} ${directory}/corpus/${name})
  else()
    return()
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_LIBRARIES})
endfunction()

# request_against_go() holds the reading of requests against Go's own: the program request_vs_go, and
# a test that replays the tricks and the corpus. It builds gocsr, a program of the components; without
# Go the test is skipped.
function(request_against_go)
  if(NOT BUILD_TESTING)
    return()
  endif()
  set(directory ${PROJECT_SOURCE_DIR}/fuzz)
  add_executable(request_vs_go ${directory}/request_vs_go.cc ${directory}/request_tricks.cc
                               ${directory}/request_mutator.cc ${directory}/go_reader.cc)
  target_link_libraries(request_vs_go PRIVATE judgement pki_fakes)
  if(SLIPWAY_FUZZ)
    add_dependencies(fuzzers request_vs_go)
    return()
  endif()
  add_test(NAME request_vs_go
           COMMAND ${directory}/with_gocsr ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:request_vs_go> --
                   replay ${directory}/corpus/request ${directory}/corpus/pem)
  set_tests_properties(request_vs_go PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
