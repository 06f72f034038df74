# SPDX-License-Identifier: Apache-2.0
# The shipped packages: three Debian packages and a portable tarball, by CPack from a release build.
#
#   ninja package_files    manual pages, completions, licences and the SBOM, into packaging/
#   cpack -G DEB, -G TXZ   see packaging/package, which ./dev package runs
#
# Everything that could differ between two builds of one commit is an input: the commit and its
# time (cmake/Version.cmake), and SOURCE_DATE_EPOCH for cpack.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(SLIPWAY_MAINTAINER "" CACHE STRING "Who answers for the packages: a name <and an address>")
set(SLIPWAY_HOMEPAGE "" CACHE STRING "The project's page; packages name none without it")

# The linker's map lists the linked archives: the SBOM is generated from it.
target_link_options(kubeadm_program PRIVATE -Wl,-Map=${PROJECT_BINARY_DIR}/kubeadm.map)
target_link_options(machine_approver_program PRIVATE -Wl,-Map=${PROJECT_BINARY_DIR}/approver.map)
target_link_options(slipway_operator_program PRIVATE -Wl,-Map=${PROJECT_BINARY_DIR}/operator.map)

add_executable(man_pages EXCLUDE_FROM_ALL packaging/man_pages.cc)
slipway_stands_alone(man_pages)
target_link_libraries(man_pages PRIVATE kubeadm machine_approver slipway_operator)

set(made ${PROJECT_BINARY_DIR}/packaging)
add_custom_target(package_files
  COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/packaging/files --build ${PROJECT_BINARY_DIR}
          --output ${made} --version ${PROJECT_VERSION} --time ${SLIPWAY_COMMIT_TIME}
          "--maintainer=${SLIPWAY_MAINTAINER}" "--homepage=${SLIPWAY_HOMEPAGE}" --strip ${CMAKE_STRIP}
          --emulator=${CMAKE_CROSSCOMPILING_EMULATOR}
  DEPENDS kubeadm_program machine_approver_program slipway_operator_program man_pages
  VERBATIM)

# put(<component> <directory> FILES|PROGRAMS|DIRECTORY <path>...) is install() for that package.
function(put component directory)
  install(${ARGN} DESTINATION ${directory} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# package_contents(<component> <program> <doc>): the common part of a Debian package of a program.
function(package_contents component program doc)
  put(${component} usr/bin PROGRAMS ${made}/bin/${program})
  put(${component} usr/share/man/man8 DIRECTORY ${made}/man/${component}/)
  put(${component} usr/share/doc/${doc} DIRECTORY ${made}/doc/${component}/)
  put(${component} usr/share/doc/${doc} FILES NOTICE)
  put(${component} usr/share/lintian/overrides FILES packaging/${component}/lintian-overrides RENAME ${doc})
endfunction()

package_contents(kubeadm kubeadm slipway-kubeadm)
put(kubeadm usr/share/bash-completion/completions FILES ${made}/completions/kubeadm.bash RENAME kubeadm)
put(kubeadm usr/share/zsh/vendor-completions FILES ${made}/completions/kubeadm.zsh RENAME _kubeadm)
put(kubeadm usr/share/fish/vendor_completions.d FILES ${made}/completions/kubeadm.fish)
put(kubeadm usr/lib/systemd/system/kubelet.service.d FILES packaging/kubeadm/10-kubeadm.conf)

package_contents(approver cluster-machine-approver slipway-machine-approver)
put(approver usr/lib/systemd/system FILES packaging/approver/slipway-machine-approver.service)
put(approver etc/default FILES packaging/approver/slipway-machine-approver.default RENAME slipway-machine-approver)
put(approver etc/slipway FILES packaging/approver/machine-approver.yaml)

package_contents(operator slipway-operator slipway-operator)
install(DIRECTORY deploy/fleet/ DESTINATION usr/share/slipway-operator COMPONENT operator EXCLUDE_FROM_ALL
        PATTERN chart EXCLUDE)

# The tarball: the same files, in directories that suit /usr/local.
put(portable bin PROGRAMS ${made}/bin/kubeadm ${made}/bin/cluster-machine-approver ${made}/bin/slipway-operator)
put(portable share/man/man8 DIRECTORY ${made}/man/kubeadm/ ${made}/man/approver/ ${made}/man/operator/)
put(portable share/completions DIRECTORY ${made}/completions/)
put(portable share/systemd FILES packaging/kubeadm/kubelet.service packaging/kubeadm/10-kubeadm.conf
    packaging/approver/slipway-machine-approver.service)
put(portable share/openrc PROGRAMS packaging/approver/slipway-machine-approver.openrc RENAME slipway-machine-approver)
put(portable share/slipway FILES packaging/approver/machine-approver.yaml packaging/approver/slipway-machine-approver.default)
put(portable share/doc/slipway DIRECTORY ${made}/doc/portable/)
put(portable . FILES LICENSE NOTICE)

set(CPACK_PACKAGE_NAME slipway)
set(CPACK_PACKAGE_VENDOR Slipway)
set(CPACK_PACKAGE_CONTACT "${SLIPWAY_MAINTAINER}")
set(CPACK_PACKAGE_HOMEPAGE_URL "${SLIPWAY_HOMEPAGE}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageGenerators.cmake)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()

# The version of upstream's kubeadm that this one replaces.
file(STRINGS src/model/releases/table.h kubernetes REGEX "\.version = \"v[0-9.]+\"")
list(GET kubernetes -1 kubernetes)  # the newest that is published: a preview's version has a suffix
string(REGEX REPLACE ".*\"v([0-9.]+)\".*" "\\1" kubernetes "${kubernetes}")
set(CPACK_DEBIAN_KUBEADM_PACKAGE_NAME slipway-kubeadm)
# The name of the package of pkgs.k8s.io, so that packages that depend on that one accept ours.
set(CPACK_DEBIAN_KUBEADM_PACKAGE_PROVIDES "kubeadm (= ${kubernetes}-1.1)")
set(CPACK_DEBIAN_KUBEADM_PACKAGE_CONFLICTS kubeadm)
set(CPACK_DEBIAN_KUBEADM_PACKAGE_REPLACES kubeadm)
set(CPACK_DEBIAN_KUBEADM_PACKAGE_RECOMMENDS "kubelet, iproute2, iptables, mount, kmod")
set(CPACK_DEBIAN_KUBEADM_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/kubeadm/postinst ${PROJECT_SOURCE_DIR}/packaging/kubeadm/postrm)
set(CPACK_COMPONENT_KUBEADM_DESCRIPTION "make and keep nodes of a Kubernetes cluster
kubeadm makes a machine the first or a further node of a Kubernetes cluster,
renews its certificates, upgrades it and takes it out again. It is a drop-in
for upstream's tool of the same name, and needs no library.

A kubelet and a container runtime are needed beside it.")

set(CPACK_DEBIAN_APPROVER_PACKAGE_NAME slipway-machine-approver)
set(CPACK_DEBIAN_APPROVER_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/approver/postinst ${PROJECT_SOURCE_DIR}/packaging/approver/prerm
    ${PROJECT_SOURCE_DIR}/packaging/approver/postrm ${PROJECT_SOURCE_DIR}/packaging/approver/conffiles)
set(CPACK_COMPONENT_APPROVER_DESCRIPTION "approves certificate requests of known machines
cluster-machine-approver approves the certificate requests of kubelets whose
machine somebody vouches for: Machine objects, a list, or the Nodes
themselves. It never denies; what it does not approve stays pending, with an
Event that says why.

The service runs as a user of its own without any privilege. It is not
started before it has a kubeconfig.")

set(CPACK_DEBIAN_OPERATOR_PACKAGE_NAME slipway-operator)
set(CPACK_COMPONENT_OPERATOR_DESCRIPTION "runs operations on all nodes of a Kubernetes cluster
slipway-operator is the controller of ClusterOperations: one object upgrades,
changes, renews or backs up all nodes of a cluster, in the right order and one
Job for each node.

It usually runs in the cluster, from its image. This package has the program,
its manual page, and the manifests that install it in a cluster.")
include(CPack)
