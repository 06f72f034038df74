// SPDX-License-Identifier: Apache-2.0
// Making a manifest: from the generated Pod over the user's patches to the file.
#pragma once

#include <string>
#include <vector>

#include "accounts/accounts.h"
#include "json/value.h"
#include "patches/patches.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// CreateOptions of FinishPod; both may be null.
struct CreateOptions {
  const patches::PatchSet* patches = nullptr;
  const accounts::RootlessIds* rootless = nullptr;  // null: as root
};

// PatchingContext begins the errors about the patches of a component's Pod.
std::string PatchingContext(components::Component component);

// FinishPod lets the Pod run as its user, then applies the user's patches. Throws
// base::Error(kInvalid) for patches that do not fit.
patches::Patched FinishPod(components::Component component, json::Value pod,
                           const CreateOptions& options);

}  // namespace static_pods
