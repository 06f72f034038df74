# fuzz_target(<name> ROOMS <room>...)
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
  cmake_parse_arguments(ARG "" "" "ROOMS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/fuzz)
  if(SLIPWAY_FUZZ)
    add_executable(fuzz_${name} ${folder}/${name}.cc)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  elseif(BUILD_TESTING)
    add_executable(fuzz_${name} ${folder}/${name}.cc ${folder}/replay_main.cc)
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} ${folder}/corpus/${name})
  else()
    return()
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_ROOMS})
endfunction()
