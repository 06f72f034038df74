# SPDX-License-Identifier: Apache-2.0
# The version information of the programs: Slipway's version and, in packages, its commit. Only the files that
# print or store it are compiled with it.
set(SLIPWAY_COMMIT "" CACHE STRING "The commit that `version` names; -changed at its end: not quite that")
set(SLIPWAY_COMMIT_TIME 0 CACHE STRING "Its time, in seconds since 1970")

# The time as a string; `string(TIMESTAMP)` reads it from the environment.
set(ENV{SOURCE_DATE_EPOCH} ${SLIPWAY_COMMIT_TIME})
string(TIMESTAMP commit_time "%Y-%m-%dT%H:%M:%SZ" UTC)
unset(ENV{SOURCE_DATE_EPOCH})

set(facts "SLIPWAY_VERSION=\"${PROJECT_VERSION}\"")
set_source_files_properties(src/operations/steps/upgrade/backup.cc src/programs/kubeadm/backup/create.cc
  src/programs/kubeadm/backup/schedule.cc src/programs/kubeadm/reset/phases.cc PROPERTIES COMPILE_DEFINITIONS "${facts}")
if(SLIPWAY_COMMIT)
  string(REGEX REPLACE "-changed$" "" commit "${SLIPWAY_COMMIT}")
  set(state clean)
  if(NOT commit STREQUAL SLIPWAY_COMMIT)
    set(state dirty)
  endif()
  list(APPEND facts "SLIPWAY_COMMIT=\"${commit}\"" "SLIPWAY_TREE_STATE=\"${state}\""
    "SLIPWAY_BUILD_DATE=\"${commit_time}\"")
endif()
set_source_files_properties(src/programs/kubeadm/version_command.cc
  src/programs/machine_approver/version_command.cc PROPERTIES COMPILE_DEFINITIONS "${facts}")
