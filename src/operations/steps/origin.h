// SPDX-License-Identifier: Apache-2.0
// The identity of a run of init or join in its journal, and the settings that a second run cannot
// change.
#pragma once

#include <string_view>

#include "config/types.h"
#include "node_input/patches.h"
#include "workflow/journal.h"

namespace steps {

// kRole is the name of a setting in a join's journal. Its value is the node's role.
inline constexpr std::string_view kRole = "role";
inline constexpr std::string_view kControlPlane = "control plane";
inline constexpr std::string_view kWorker = "worker";

// Returns the identity of a run: the configuration for this machine, including the host name, the
// default address and the runtime's socket, and the patches, because the manifests depend on them.
// Tokens, keys and the options of the run are left out. Origin::settings contains the settings that
// a later run cannot change.
workflow::Origin OriginOf(const config::Init& config, const node_input::PatchSet& patches);
workflow::Origin OriginOf(const config::JoinConfiguration& join);

// Throws base::Error(kInvalid), naming `kubeadm reset`, if a setting in Origin::settings differs
// from the resumed run, and can no longer change. The role "control plane" can never change. The
// other settings can no longer change once the kubelet was started.
void RequireSameSettings(const workflow::Journal& journal);

}  // namespace steps
