# SPDX-License-Identifier: Apache-2.0
# Generates "base/build.h": Slipway's version and, in packages, its commit. Only the files that print or store them
# include it.
set(SLIPWAY_COMMIT "" CACHE STRING "The commit that `version` names; -changed at its end: not quite that")
set(SLIPWAY_COMMIT_TIME 0 CACHE STRING "Its time, in seconds since 1970")

# The time as a string; `string(TIMESTAMP)` reads it from the environment.
set(ENV{SOURCE_DATE_EPOCH} ${SLIPWAY_COMMIT_TIME})
string(TIMESTAMP build_date "%Y-%m-%dT%H:%M:%SZ" UTC)
unset(ENV{SOURCE_DATE_EPOCH})

string(REGEX REPLACE "-changed$" "" commit "${SLIPWAY_COMMIT}")
if(NOT SLIPWAY_COMMIT)
  set(commit unknown)
  set(tree_state unknown)
elseif(commit STREQUAL SLIPWAY_COMMIT)
  set(tree_state clean)
else()
  set(tree_state dirty)
endif()
configure_file(cmake/build.h.in ${PROJECT_BINARY_DIR}/generated/base/build.h @ONLY)
target_include_directories(slipway_settings INTERFACE ${PROJECT_BINARY_DIR}/generated)
