// SPDX-License-Identifier: Apache-2.0
// The files in which users give the kubelet arguments besides kubeadm's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace kubelet {

// The files for user arguments in packages of the kubelet: Debian's, Red Hat's.
inline constexpr std::array<std::string_view, 2> kExtraArgsFiles{"/etc/default/kubelet",
                                                                 "/etc/sysconfig/kubelet"};
// Files that change the kubelet's unit.
inline constexpr std::string_view kDropIns = "/etc/systemd/system/kubelet.service.d";

// Returns the arguments of KUBELET_EXTRA_ARGS in kExtraArgsFiles.
std::vector<std::string> ExtraArguments(const host::Files& files);

// Returns the kubelet's value of an argument from kubeadm's file, then the kExtraArgsFiles; the
// last occurrence overrides earlier ones. Does not read the command line of a process named
// "kubelet", because any user may start such a process. Throws base::Error(kInvalid) if kubeadm's
// file is malformed.
std::optional<std::string> GivenFlag(const host::Files& files, std::string_view name);

// Returns the existing files of kExtraArgsFiles, then the drop-ins of kDropIns sorted by name.
std::vector<host::fs::path> FilesOfUsers(const host::Files& files);

}  // namespace kubelet
