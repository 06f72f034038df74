// SPDX-License-Identifier: Apache-2.0
// What identifies a run of init or join in its journal, and what of it a rerun cannot change.
#pragma once

#include <string_view>

#include "config/types.h"
#include "workflow/journal.h"

namespace resume {

// kRole is the setting of a join's journal that says what the node becomes.
inline constexpr std::string_view kRole = "role";
inline constexpr std::string_view kControlPlane = "control plane";
inline constexpr std::string_view kWorker = "worker";

// OriginOf is what the configuration comes to on this machine: host name, default address and the
// runtime's socket count, tokens and keys do not, nor how a run goes about it. Settings are what
// etcd and the kubelet keep once they run.
workflow::Origin OriginOf(const config::Init& config);
workflow::Origin OriginOf(const config::JoinConfiguration& join);

// RequireSameSettings throws base::Error, naming `kubeadm reset`, when the resumed run was asked
// for other settings than this one, and has come so far that they last: a control plane's keys lie
// here, or the kubelet was started.
void RequireSameSettings(const workflow::Journal& journal);

}  // namespace resume
