// SPDX-License-Identifier: Apache-2.0
// Where users give the kubelet arguments beside kubeadm's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace kubelet {

// Where packages of the kubelet let a user add arguments: of Debian, of Red Hat.
inline constexpr std::array<std::string_view, 2> kExtraArgsFiles{"/etc/default/kubelet",
                                                                 "/etc/sysconfig/kubelet"};
// Files that change the kubelet's unit.
inline constexpr std::string_view kDropIns = "/etc/systemd/system/kubelet.service.d";

// ExtraArguments are the words of KUBELET_EXTRA_ARGS in the first two.
std::vector<std::string> ExtraArguments(const host::Files& files);

// GivenFlag is what kubeadm's file and then those two give the kubelet for an argument; the last
// counts. Not the command line of a process of that name, which any user may start. Throws
// base::Error(kInvalid) for a file of kubeadm's that is none.
std::optional<std::string> GivenFlag(const host::Files& files, std::string_view name);

// FilesOfUsers are those of both that are there, the drop-ins last and sorted by name.
std::vector<host::fs::path> FilesOfUsers(const host::Files& files);

}  // namespace kubelet
