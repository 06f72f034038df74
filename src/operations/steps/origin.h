// SPDX-License-Identifier: Apache-2.0
// The identity of a run of init or join in its journal, and the settings that a rerun cannot
// change.
#pragma once

#include <string_view>

#include "config/types.h"
#include "node_input/patches.h"
#include "workflow/journal.h"

namespace steps {

// kRole is the name of the setting, in a join's journal, that has the node's role as its value.
inline constexpr std::string_view kRole = "role";
inline constexpr std::string_view kControlPlane = "control plane";
inline constexpr std::string_view kWorker = "worker";

// Returns the identity of a run, from its configuration on this machine. It consists of the
// settings that etcd and the kubelet keep once they run, including the host name, the default
// address and the runtime's socket. The patches belong to it, because the manifests depend on them.
// It does not contain tokens, keys and the options of the run.
workflow::Origin OriginOf(const config::Init& config, const node_input::PatchSet& patches);
workflow::Origin OriginOf(const config::JoinConfiguration& join);

// Throws base::Error(kInvalid), naming `kubeadm reset`, if the resumed run had other settings than
// this run and these settings can no longer change. They can no longer change if a control plane's
// keys exist on this machine, or if the kubelet was started.
void RequireSameSettings(const workflow::Journal& journal);

}  // namespace steps
